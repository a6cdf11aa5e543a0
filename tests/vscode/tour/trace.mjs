// A recorded session: views, lenses, marks, jumps, diffs.
import assert from "node:assert/strict";
import fs from "node:fs";
import { fileLabel, nameOf, replayed } from "./replay.mjs";

/** The files of each turn that has some, as a screen reader tells them, without their order. */
function fileRows(labels) {
  const turns = [];
  for (const label of labels) {
    const [, file, index] = /^(.*), (\d+) of \d+$/.exec(label) ?? [];
    if (file && index === "1") {
      turns.push([]);
    }
    if (file) {
      turns.at(-1).push(file);
    }
  }
  return turns.map((turn) => turn.sort());
}

const isHunk = ({ lens }) => /^turn \d+:/.test(lens);

export async function trace(w, at, url) {
  const { page } = w;
  const files = JSON.parse(fs.readFileSync(at.files, "utf8"));
  const wanted = replayed(at.trace);
  const lines = (name) => files.after[name].split("\n");
  /** Lines that the file has now and had not before, as a person would look for them. */
  const newLines = (name) => {
    const before = new Set((files.before[name] ?? "").split("\n"));
    return lines(name).filter((line) => line && !before.has(line));
  };
  // The last two of the four changed lines are neighbours, and one hunk.
  const calc = newLines("src/calc.py");

  await w.step("the view lists the turns and files of a session, and the badge counts them", async () => {
    await w.open(url(at.recorded));
    await w.sideBar("Agent Changes");
    // All rows have to be in sight to be in the page.
    await page.locator(".part.sidebar .pane-header", { hasText: "Session" }).click();
    const labels = wanted.turns.map((turn) => turn.map((row) => fileLabel(row)).sort());
    await w.eventually(
      "the rows",
      async () => fileRows(await w.rowLabels()),
      (rows) => JSON.stringify(rows) === JSON.stringify(labels),
    );
    await w.eventually("the badge", () => w.badge("Agent Changes"), (count) => count === wanted.fileCount);
  });

  await w.step("a click on a file opens it at its change", async () => {
    await w.rows("calc.py").first().click();
    const place = await w.eventually("the cursor", () => w.place(), (place) => place?.startsWith("calc.py:"));
    const line = lines("src/calc.py")[Number(place.split(":")[1]) - 1];
    assert.ok(calc.includes(line), `${place} is "${line}"`);
  });

  await w.step("lenses stand above the changed lines, and one for the file on top", async () => {
    await w.focusText();
    await w.eventually(
      "lenses on the first lines of the changes",
      async () => (await w.lenses()).filter(isHunk).map(({ line }) => line),
      (found) => JSON.stringify(found) === JSON.stringify(calc.slice(0, 3)),
    );
    const [top] = await w.lenses();
    assert.match(top.lens, /^Agent: \d+ edits in 2 turns, \+\d+ -\d+/);
  });

  await w.step("the gutter marks the changed lines", async () => {
    await w.eventually(
      "a mark at each changed line",
      () => w.gutter(),
      (marks) => calc.every((text) => marks.some(({ line, kind }) => line === text && kind === "modified")),
    );
  });

  await w.step("typing above a hunk moves its lens and its mark with it", async () => {
    await w.focusText();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# a new first line\n");
    await w.eventually(
      "lenses on their lines",
      async () => (await w.lenses()).filter(isHunk).map(({ line }) => line),
      (found) => JSON.stringify(found) === JSON.stringify(calc.slice(0, 3)),
    );
    await w.eventually(
      "marks on their lines",
      () => w.gutter(),
      (marks) => marks.length === calc.length && marks.every(({ line }) => calc.includes(line)),
    );
    await w.until("the old first line", async () => {
      await page.keyboard.press("Control+z");
      return (await page.locator(".tab.active.dirty").count()) === 0;
    });
  });

  await w.step("a hover shows the diff of a hunk", async () => {
    await w.focusText();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Alt+F5");
    await w.eventually("the first change", () => w.place(), (place) => /^calc\.py:2:/.test(place));
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+i");
    const hover = page.locator(".monaco-hover:visible", { hasText: "return b + a" }).first();
    await hover.waitFor();
    assert.match((await hover.textContent()).replaceAll("\u00a0", " "), /turn \d+/);
  });

  await w.step("next change goes through all files and wraps, and previous comes back", async () => {
    await page.keyboard.press("Escape");
    await w.focusText();
    /** Presses a key of a jump, and waits for what the status bar says about it. */
    const jump = async (key, wanted) => {
      await page.keyboard.press(key);
      const text = await w.eventually(
        `a jump to change ${wanted ?? "any"}`,
        () => page.locator(".part.statusbar .left-items").textContent(),
        (bar) => (wanted ? new RegExp(`Change ${wanted} of \\d+`) : /Change \d+ of \d+/).test(bar),
      );
      const [, index, total] = /Change (\d+) of (\d+)/.exec(text).map(Number);
      return { index, total, wrapped: text.includes("(wrapped)") };
    };
    const tabs = new Set();
    await page.keyboard.press("Control+Home");
    let { index, total } = await jump("Alt+F5");
    await w.eventually("the first change", () => w.place(), (place) => /^calc\.py:2:/.test(place));
    for (let count = 0; count < total; count += 1) {
      tabs.add(await w.activeTab());
      const next = await jump("Alt+F5", (index % total) + 1);
      assert.equal(next.wrapped, next.index === 1, `change ${next.index} of ${next.total}`);
      index = next.index;
    }
    for (const name of ["calc.py", "hello.py", "abs.txt", "new_name.txt", "notes.txt"]) {
      assert.ok(tabs.has(name), `${name} was not visited: ${[...tabs]}`);
    }
    const here = await w.place();
    await jump("Shift+Alt+F5", index === 1 ? total : index - 1);
    await jump("Alt+F5", index);
    await w.eventually("the place before", () => w.place(), (place) => place === here);
  });

  await w.step("the commands of a lens go to the next change and show the diff of its turn", async () => {
    await w.openFile("src/calc.py");
    await w.until("lenses", async () => (await w.lenses()).some(isHunk));
    await w.clickLens("Next", 0);
    await w.eventually("the next change", () => w.place(), (place) => /^calc\.py:[2-9]/.test(place));
    await w.clickLens("Show diff", 0);
    await w.eventually("the diff's tab", () => w.activeTab(), (tab) => /calc\.py.*turn \d/.test(tab));
    await w.eventually("both sides", () => w.diffSides(), ({ before, after }) => before.length > 0 && after.length > 0);
  });

  await w.step("the diff of the session has the text before and after it", async () => {
    await w.openFile("notes.txt");
    await w.command("acp-lens: Show Diff of the Session");
    await w.eventually(
      "both sides",
      () => w.diffSides(),
      ({ before, after }) => after.includes("appended by eof hunk") && !before.includes("appended by eof hunk"),
    );
  });

  await w.step("a deleted file can be read", async () => {
    await w.sideBar("Agent Changes");
    await w.rows("obsolete.txt").click();
    await w.eventually("its text", () => w.diffSides(), ({ before }) => before.includes("to be removed"));
  });

  await w.step("all changes of a session open in one multi-file diff", async () => {
    await w.rowAction(w.rows().first(), "Open All Changes");
    await w.eventually(
      "the files",
      () => page.locator(".multiDiffEntry").allTextContents(),
      (found) => ["hello.py", "existing.txt", "calc.py"].every((name, index) => found[index]?.includes(name)),
    );
  });

  await w.step("all changes of a turn too, with the text of what it deleted", async () => {
    await w.rowAction(w.rows("Turn 3").first(), "Open All Changes");
    await w.eventually("the title", () => w.activeTab(), (tab) => /Turn 3/.test(tab));
    const deleted = page.locator(".multiDiffEntry", { hasText: "obsolete.txt" });
    await w.until("the deleted file", async () => {
      // Only what is in sight is in the page.
      await page.mouse.move(800, 500);
      await page.mouse.wheel(0, 300);
      return (await deleted.count()) > 0;
    });
    await w.eventually(
      "its text",
      async () => (await deleted.first().textContent()).replaceAll("\u00a0", " "),
      (text) => text.includes("to be removed"),
    );
  });

  await w.step("the hunks of a file are rows that lead to their lines", async () => {
    const row = w.rows("calc.py").last();
    await row.locator(".monaco-tl-twistie").click();
    await w.rows(/^lines? \d/).first().waitFor();
    const hunks = w.rows(/^lines? \d/);
    assert.ok((await hunks.count()) >= 2);
    const label = await hunks.first().getAttribute("aria-label");
    assert.match(label, /^lines? \d.*\d+ added, \d+ removed, 1 of \d/);
    await hunks.last().click();
    const first = /^lines? (\d+)/.exec(await hunks.last().getAttribute("aria-label"))[1];
    await w.eventually("the hunk's line", () => w.place(), (place) => place === `calc.py:${first}:1`);
  });

  await w.step("a tree shows the files in their folders", async () => {
    await w.viewAction("Changes", "View as Tree");
    await w.rows("deep/dir").first().waitFor();
    await w.eventually("a file in a folder", () => w.rows("abs.txt").getAttribute("aria-level"), (level) => Number(level) === 4);
  });

  await w.step("a filter shows one turn alone", async () => {
    await w.viewAction("Changes", "View as List");
    await w.rows("deep/dir").last().waitFor();
    await w.viewAction("Changes", "Filter by Session or Turn...");
    await w.pickerRows("Turn 1").click();
    const names = wanted.turns[0].map(nameOf);
    await w.eventually(
      "the rows of that turn",
      async () => (await w.rowLabels()).filter((label) => /\d+ of \d+/.test(label)).map((label) => label.split(",")[0]),
      (rows) => JSON.stringify(rows) === JSON.stringify(names),
    );
    await page.locator(".part.sidebar .pane-body .message", { hasText: "Only turn 1 of codex-acp" }).waitFor();
    await w.focusText();
  });

  await w.step("a filter by session keeps its turns, and none shows all again", async () => {
    await w.viewAction("Changes", "Show All Sessions");
    await w.rows("Turn 3").first().waitFor();
    await w.command("acp-lens: Filter by Session or Turn...");
    await w.pickerRows("codex-acp").first().click();
    await page.locator(".part.sidebar .pane-body .message", { hasText: "Only codex-acp" }).waitFor();
    assert.equal(await w.rows(/^Turn \d/).count(), wanted.turns.length + 1);
    await w.command("acp-lens: Show All Sessions");
    await page.locator(".part.sidebar .pane-body .message", { hasText: "Only" }).waitFor({ state: "hidden" });
  });

  await w.step("files that exist can be opened elsewhere, deleted ones cannot", async () => {
    const menu = page.locator(".monaco-menu:visible");
    await w.rows("obsolete.txt").click({ button: "right" });
    await menu.waitFor();
    const deleted = await menu.locator(".action-item").allTextContents();
    await page.keyboard.press("Escape");
    await menu.first().waitFor({ state: "hidden" });
    await w.rows("hello.py").first().click({ button: "right" });
    await menu.waitFor();
    const created = await menu.locator(".action-item").allTextContents();
    assert.ok(deleted.some((text) => /Open Diff/.test(text)), deleted.join());
    assert.ok(!deleted.some((text) => /Open With|Reveal|Open File/.test(text)), deleted.join());
    for (const title of ["Open File", "Open Diff", "Open With...", "Reveal in File Manager"]) {
      assert.ok(created.some((text) => text.includes(title)), created.join());
    }
  });

  await w.step("the status bar says how many files changed, and its tooltip which", async () => {
    await page.keyboard.press("Escape");
    await w.eventually("the item", () => w.status.textContent(), (text) => text.includes(`Agent: ${wanted.fileCount} files`));
    await w.status.hover();
    await page.locator(".monaco-hover:visible", { hasText: "src/calc.py" }).waitFor();
  });

  await w.step("the explorer and the tabs carry letter and colour of changed files", async () => {
    await w.openFile("hello.py");
    await w.sideBar("Explorer");
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "hello.py" });
    const letter = (scope) =>
      scope
        .locator(".monaco-icon-label")
        .first()
        .evaluate((node) => getComputedStyle(node, "::after").content);
    await w.eventually("the row's letter", () => letter(row), (text) => text.includes("A"));
    await w.eventually("the tab's letter", () => letter(page.locator(".tab.active")), (text) => text.includes("A"));
  });

  await w.step("a picker over files and changes previews what it is on, and takes it back", async () => {
    const before = await w.place();
    await w.command("acp-lens: Go to a Change...");
    await w.pickerRows("src/calc.py").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.type("calc.py:");
    await page.keyboard.press("ArrowDown");
    await w.eventually("the preview", () => w.activeTab(), (tab) => tab === "calc.py");
    await page.keyboard.press("Escape");
    await w.eventually("the editor before", () => w.place(), (place) => place === before);
  });

  await w.step("the old text of a hunk can be copied", async () => {
    await w.openFile("src/calc.py");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Alt+F5");
    await w.eventually("the first change", () => w.place(), (place) => /^calc\.py:2:/.test(place));
    await w.command("acp-lens: Copy Old Text");
    await w.eventually(
      "the clipboard",
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => text.includes("return a + b"),
    );
  });

  await w.step("lenses and marks can be switched off", async () => {
    await w.focusText();
    w.settings(at.recordedSettings, { "acpLens.codeLens": "off", "acpLens.marks.gutter": false });
    await w.eventually("no lens", () => w.lenses(), (found) => found.length === 0);
    await w.eventually("no mark", () => w.gutter(), (found) => found.length === 0);
    w.settings(at.recordedSettings, { "acpLens.codeLens": undefined, "acpLens.marks.gutter": undefined });
    await w.eventually("lenses", () => w.lenses(), (found) => found.some(isHunk));
    await w.eventually("marks", () => w.gutter(), (found) => found.length === calc.length);
  });
}
