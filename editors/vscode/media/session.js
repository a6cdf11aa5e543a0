// The page of the session view. It draws what the extension posts, and posts what a person does.
// Text is set as text, never as HTML: it comes from an agent.
(() => {
  const vscode = acquireVsCodeApi();
  const words = JSON.parse(document.getElementById("words").textContent);
  const timeline = document.getElementById("timeline");
  const list = document.getElementById("items");
  const questions = document.getElementById("questions");
  const form = document.getElementById("form");
  const prompt = document.getElementById("prompt");
  const state = document.getElementById("state");
  const cancel = document.getElementById("cancel");
  const send = document.getElementById("send");
  const empty = document.getElementById("empty");
  const note = document.getElementById("note");

  timeline.setAttribute("aria-label", words.timeline);
  questions.setAttribute("aria-label", words.questions);
  prompt.placeholder = words.prompt;
  prompt.setAttribute("aria-label", words.prompt);
  send.textContent = words.send;
  cancel.textContent = words.cancel;

  /** @type {Map<number, { row: HTMLLIElement, item: object }>} rows by the item's index */
  const rows = new Map();
  /** @type {Map<string, HTMLElement>} boxes of waiting questions by permission */
  const boxes = new Map();
  const MARK = { pending: "○", running: "◌", completed: "✓", failed: "✗" };
  const LETTER = { created: "A", modified: "M", deleted: "D", moved: "R" };

  function element(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function button(text, className, click) {
    const node = element("button", className, text);
    node.type = "button";
    node.addEventListener("click", click);
    return node;
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

  // The end of the timeline stays in sight until somebody scrolls away from it, also when a
  // question takes room from it.
  let atEnd = true;
  const follow = () => {
    if (atEnd) timeline.scrollTop = timeline.scrollHeight;
  };
  timeline.addEventListener("scroll", () => {
    atEnd = timeline.scrollTop + timeline.clientHeight >= timeline.scrollHeight - 24;
  });
  const observer = new ResizeObserver(follow);
  observer.observe(timeline);
  observer.observe(list);

  // Items of the timeline

  function folded(title, text, open) {
    const details = element("details");
    details.open = open;
    details.append(element("summary", "", title), element("div", "body", text));
    return details;
  }

  function counts(file) {
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

  /** A file of a tool call: it leads to its lines, a deleted one to the diff that deleted it. */
  function fileLine(item, file) {
    const line = element("li");
    const label = `${file.action ? `${LETTER[file.action]} ` : ""}${file.path}`;
    if (file.uri) {
      const deleted = file.action === "deleted";
      const link = button(label, "", () =>
        vscode.postMessage(
          deleted
            ? { type: "diff", uri: file.uri, toolCall: item.toolCall }
            : { type: "open", uri: file.uri, line: file.line },
        ),
      );
      link.title = (deleted ? words.diff : words.open).replace("{0}", file.path);
      line.append(link);
    } else {
      line.append(label);
    }
    if (file.action) line.append(counts(file));
    return line;
  }

  function toolCall(item, wasOpen) {
    const row = element("div", `tool status-${item.status}`);
    const mark = element("span", "mark", MARK[item.status] ?? MARK.pending);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", words[item.status] ?? item.status);
    const rest = element("div", "rest");
    rest.append(element("div", "title", item.title));
    if (item.files.length > 0) {
      const files = element("ul", "files");
      files.append(...item.files.map((file) => fileLine(item, file)));
      rest.append(files);
    }
    const permission = item.permission;
    if (permission?.outcome) {
      const chosen = permission.question.options.find(
        (option) => option.optionId === permission.outcome.optionId,
      );
      const answer = chosen?.name ?? words[permission.outcome.outcome];
      rest.append(element("div", "parts", words.answered.replace("{0}", answer)));
    }
    if (item.text) rest.append(folded(words.output, item.text, wasOpen));
    row.append(mark, rest);
    return row;
  }

  function message(item) {
    const row = element("div", `message ${item.role}`);
    row.append(
      element("span", "unseen", `${item.role === "user" ? words.you : words.agent}: `),
      element("span", "text", item.text),
    );
    for (const part of item.parts) row.append(element("div", "parts", `[${part}]`));
    if (item.durationMs !== null) {
      row.append(element("div", "parts", words.took.replace("{0}", time(item.durationMs))));
    }
    return row;
  }

  function plan(item) {
    const row = element("div", "plan");
    row.append(element("div", "parts", words.plan));
    const entries = element("ul");
    for (const entry of item.entries) {
      const box = { completed: "☑", in_progress: "◐" }[entry.status] ?? "☐";
      entries.append(element("li", "", `${box} ${entry.content}`));
    }
    row.append(entries);
    return row;
  }

  function draw(item, wasOpen) {
    switch (item.type) {
      case "message":
        return message(item);
      case "thought":
        return folded(words.thought, item.text, wasOpen);
      case "toolCall":
        return toolCall(item, wasOpen);
      case "plan":
        return plan(item);
      default:
        return element("div");
    }
  }

  /** Adds what was streamed to a text that is shown, which keeps selection and focus in it. */
  function append(row, before, item) {
    const longer =
      before.type === item.type &&
      (item.type === "thought" || (item.type === "message" && before.role === item.role)) &&
      before.text !== "" &&
      item.text.startsWith(before.text) &&
      before.parts?.length === item.parts?.length &&
      before.durationMs === item.durationMs;
    if (longer) {
      const shown = row.querySelector(".text, .body").firstChild;
      shown.appendData(item.text.slice(before.text.length));
    }
    return longer;
  }

  const focusable = (root) => [...root.querySelectorAll("button, summary")];

  function put(item) {
    const known = rows.get(item.index);
    if (!known) {
      const row = element("li");
      row.append(draw(item, false));
      const after = [...rows.keys()].filter((index) => index > item.index);
      const next = after.length > 0 ? rows.get(Math.min(...after)).row : null;
      rows.set(item.index, { row, item });
      list.insertBefore(row, next);
      return;
    }
    const { row, item: before } = known;
    known.item = item;
    if (append(row, before, item)) return;
    const wasOpen = row.querySelector("details")?.open ?? false;
    const focused = focusable(row).indexOf(document.activeElement);
    row.replaceChildren(draw(item, wasOpen));
    if (focused >= 0) focusable(row)[focused]?.focus({ preventScroll: true });
  }

  function items(message) {
    if (message.reset) {
      rows.clear();
      list.replaceChildren();
      atEnd = true;
    }
    for (const item of message.items) put(item);
    follow();
  }

  // Questions

  function questionBox(question) {
    const box = element("div", "question");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", question.title);
    box.append(element("p", "", question.title));
    for (const path of question.paths) {
      if (!question.title.includes(path)) box.append(element("p", "parts", path));
    }
    if (question.detail) box.append(folded(words.output, question.detail, false));
    const buttons = element("div", "buttons");
    for (const option of question.options) {
      buttons.append(
        button(option.name, option.kind.startsWith("allow") ? "" : "secondary", () =>
          vscode.postMessage({
            type: "answer",
            session: question.session,
            permission: question.permission,
            optionId: option.optionId,
          }),
        ),
      );
    }
    box.append(buttons);
    return box;
  }

  /** A box that is shown stays the same one: somebody may be about to press its button. */
  function ask(waiting) {
    const keys = new Set(waiting.map((question) => question.permission));
    for (const [key, box] of boxes) {
      if (keys.has(key)) continue;
      const focused = box.contains(document.activeElement);
      box.remove();
      boxes.delete(key);
      if (focused) focusPlace().focus();
    }
    for (const question of waiting) {
      if (boxes.has(question.permission)) continue;
      const box = questionBox(question);
      boxes.set(question.permission, box);
      questions.append(box);
    }
  }

  // The rest

  const focusPlace = () => (form.hidden ? timeline : prompt);

  empty.append(
    element("span", "", words.none),
    button(words.start, "", () => vscode.postMessage({ type: "start" })),
    button(words.load, "secondary", () => vscode.postMessage({ type: "load" })),
  );

  function show(message) {
    const session = message.session;
    const host = session?.source === "host";
    const working = session?.state === "prompting";
    empty.hidden = session !== null;
    timeline.hidden = session === null;
    form.hidden = !host;
    note.hidden = session === null || host;
    note.textContent = session?.source === "trace" ? words.recorded : words.readOnly;
    // A reader is told of a text when it is whole, not of every piece.
    timeline.setAttribute("aria-busy", String(working));
    cancel.hidden = !working;
    send.disabled = !host || session.state !== "idle";
    const text = session?.error ?? session?.work ?? "";
    // Said again only when it is another.
    if (state.textContent !== text) state.textContent = text;
    state.title = text;
    state.className = session?.error ? "error" : "";
    ask(message.questions);
  }

  window.addEventListener("message", (event) => {
    const message = event.data;
    if (message.type === "items") items(message);
    else if (message.type === "state") show(message);
    else if (message.type === "focus") focusPlace().focus();
    // What could not be sent is not lost, nor is what was written meanwhile.
    else if (message.type === "sent" && !message.ok && prompt.value === "") {
      prompt.value = message.text;
    }
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = prompt.value.trim();
    if (text === "" || send.disabled) return;
    prompt.value = "";
    atEnd = true;
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
