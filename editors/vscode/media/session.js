// The page of the session view. It draws what the extension posts, and posts what a person does.
// Text is set as text, never as HTML: it comes from an agent.
(() => {
  const vscode = acquireVsCodeApi();
  const words = JSON.parse(document.getElementById("words").textContent);
  const timeline = document.getElementById("timeline");
  const questions = document.getElementById("questions");
  const form = document.getElementById("form");
  const prompt = document.getElementById("prompt");
  const state = document.getElementById("state");
  const cancel = document.getElementById("cancel");
  const send = document.getElementById("send");
  const empty = document.getElementById("empty");
  const note = document.getElementById("note");

  timeline.setAttribute("aria-label", words.timeline);
  prompt.placeholder = words.prompt;
  prompt.setAttribute("aria-label", words.prompt);
  send.textContent = words.send;
  cancel.textContent = words.cancel;

  /** @type {Map<number, HTMLLIElement>} rows by the item's index */
  const rows = new Map();
  const MARK = { pending: "○", running: "◌", completed: "✓", failed: "✗" };
  const LETTER = { created: "A", modified: "M", deleted: "D", moved: "R" };

  function element(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function folded(title, text, open) {
    const details = element("details");
    details.open = open;
    details.append(element("summary", "", title), element("div", "body", text));
    return details;
  }

  function count(file) {
    const span = element("span", "counts");
    if (file.added === null && file.removed === null) return span;
    span.append(
      " ",
      element("span", "added", `+${file.added ?? "?"}`),
      " ",
      element("span", "removed", `-${file.removed ?? "?"}`),
    );
    return span;
  }

  function toolCall(item, wasOpen) {
    const row = element("div", `tool status-${item.status}`);
    const mark = element("span", "mark", MARK[item.status] ?? MARK.pending);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", words[item.status] ?? item.status);
    const rest = element("div", "rest");
    rest.append(element("div", "title", item.title));
    if (item.files.length > 0) {
      const list = element("ul", "files");
      for (const file of item.files) {
        const line = element("li");
        const label = `${file.action ? `${LETTER[file.action]} ` : ""}${file.path}`;
        if (file.uri && file.action !== "deleted") {
          const button = element("button", "", label);
          button.type = "button";
          button.title = words.open.replace("{0}", file.path);
          button.addEventListener("click", () =>
            vscode.postMessage({ type: "open", uri: file.uri, line: file.line }),
          );
          line.append(button);
        } else {
          line.append(label);
        }
        if (file.action) line.append(count(file));
        list.append(line);
      }
      rest.append(list);
    }
    const permission = item.permission;
    if (permission?.outcome) {
      const chosen = permission.question.options.find(
        (option) => option.optionId === permission.outcome.optionId,
      );
      rest.append(
        element(
          "div",
          "parts",
          words.answered.replace("{0}", chosen?.name ?? permission.outcome.outcome),
        ),
      );
    }
    if (item.text) rest.append(folded(words.output, item.text, wasOpen));
    row.append(mark, rest);
    return row;
  }

  /** Milliseconds as people say them: `0.4s`, `12s`, `1m 5s`. */
  function time(ms) {
    const text = (value, unit) =>
      new Intl.NumberFormat(document.documentElement.lang, {
        style: "unit",
        unit,
        unitDisplay: "narrow",
        maximumFractionDigits: 1,
      }).format(value);
    if (ms < 9_950) return text(ms / 1000, "second");
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return text(seconds, "second");
    return `${text(Math.floor(seconds / 60), "minute")} ${text(seconds % 60, "second")}`;
  }

  function draw(item, wasOpen) {
    switch (item.type) {
      case "message": {
        const row = element("div", `message ${item.role}`, item.text);
        row.setAttribute(
          "aria-label",
          `${item.role === "user" ? words.you : words.agent}: ${item.text}`,
        );
        for (const part of item.parts) row.append(element("div", "parts", `[${part}]`));
        if (item.durationMs !== null) {
          const took = words.took.replace("{0}", time(item.durationMs));
          row.append(element("div", "parts", took));
        }
        return row;
      }
      case "thought":
        return folded(words.thought, item.text, wasOpen);
      case "toolCall":
        return toolCall(item, wasOpen);
      case "plan": {
        const row = element("div", "plan");
        row.append(element("div", "parts", words.plan));
        const list = element("ul");
        for (const entry of item.entries) {
          const box =
            entry.status === "completed" ? "☑" : entry.status === "in_progress" ? "◐" : "☐";
          list.append(element("li", "", `${box} ${entry.content}`));
        }
        row.append(list);
        return row;
      }
      default:
        return element("div");
    }
  }

  function put(item) {
    let row = rows.get(item.index);
    const wasOpen = row?.querySelector("details")?.open ?? false;
    if (!row) {
      row = element("li");
      rows.set(item.index, row);
      const after = [...rows.keys()].filter((index) => index > item.index);
      const next = after.length > 0 ? rows.get(Math.min(...after)) : null;
      timeline.insertBefore(row, next);
    }
    row.replaceChildren(draw(item, wasOpen));
  }

  function items(message) {
    const atEnd = timeline.scrollTop + timeline.clientHeight >= timeline.scrollHeight - 24;
    if (message.reset) {
      rows.clear();
      timeline.replaceChildren();
    }
    for (const item of message.items) put(item);
    if (atEnd || message.reset) timeline.scrollTop = timeline.scrollHeight;
  }

  function ask(list) {
    questions.replaceChildren();
    for (const question of list) {
      const box = element("div");
      box.append(element("p", "", question.title));
      for (const path of question.paths) {
        if (!question.title.includes(path)) box.append(element("p", "parts", path));
      }
      if (question.detail) box.append(folded(words.output, question.detail, false));
      const buttons = element("div", "buttons");
      for (const option of question.options) {
        const button = element(
          "button",
          option.kind.startsWith("allow") ? "" : "secondary",
          option.name,
        );
        button.type = "button";
        button.addEventListener("click", () =>
          vscode.postMessage({
            type: "answer",
            session: question.session,
            permission: question.permission,
            optionId: option.optionId,
          }),
        );
        buttons.append(button);
      }
      box.append(buttons);
      questions.append(box);
    }
  }

  function show(message) {
    const session = message.session;
    empty.hidden = session !== null;
    timeline.hidden = session === null;
    if (session === null) {
      const start = element("button", "", words.start);
      start.addEventListener("click", () => vscode.postMessage({ type: "start" }));
      const load = element("button", "secondary", words.load);
      load.addEventListener("click", () => vscode.postMessage({ type: "load" }));
      empty.replaceChildren(element("span", "", words.none), start, load);
    }
    const host = session?.source === "host";
    form.hidden = !host;
    note.hidden = session === null || host;
    note.textContent = session?.source === "trace" ? words.recorded : words.readOnly;
    const working = session?.state === "prompting";
    cancel.hidden = !working;
    send.disabled = !host || session.state !== "idle";
    state.textContent = session?.error ?? words[session?.state] ?? (working ? words.working : "");
    state.title = state.textContent;
    state.className = session?.error ? "error" : "";
    ask(message.questions);
  }

  window.addEventListener("message", (event) => {
    const message = event.data;
    if (message.type === "items") items(message);
    else if (message.type === "state") show(message);
    else if (message.type === "focus") (form.hidden ? timeline : prompt).focus();
    // What could not be sent is not lost.
    else if (message.type === "sent" && !message.ok) prompt.value = message.text;
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = prompt.value.trim();
    if (text === "" || send.disabled) return;
    prompt.value = "";
    vscode.postMessage({ type: "prompt", text });
  });
  prompt.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  cancel.addEventListener("click", () => vscode.postMessage({ type: "cancel" }));

  vscode.postMessage({ type: "ready" });
})();
