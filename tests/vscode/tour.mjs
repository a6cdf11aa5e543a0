// The tour of a recorded session: node tour.mjs PORT WORK SHOTS
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Workbench } from "./workbench.mjs";

const [port, work, shots] = process.argv.slice(2);
const files = JSON.parse(fs.readFileSync(path.join(work, "files.json"), "utf8"));
const url = `http://127.0.0.1:${port}/?folder=${path.join(work, "workspace")}`;

/** Lines that are in `after` and not in `before`, as a person would look for them. */
const newLines = (name) => {
  const before = new Set((files.before[name] ?? "").split("\n"));
  return new Set(files.after[name].split("\n").filter((line) => !before.has(line)));
};

const w = await Workbench.open(url, shots);
const { page } = w;

await w.step("the view lists the session, its turns and files, with a badge", async () => {
  await page.locator('.activitybar .action-item a[aria-label^="Agent Changes"]').click();
  await w.rows("Turn 1").first().waitFor();
  await w.rows("calc.py").first().waitFor();
  const badge = page.locator('.activitybar .action-item:has(a[aria-label^="Agent Changes"]) .badge-content');
  await w.until("the badge", async () => Number(await badge.textContent()) > 0);
});

await w.step("rows say what they are to a screen reader", async () => {
  const label = await w.rows("calc.py").first().getAttribute("aria-label");
  assert.match(label, /src\/calc\.py, modified, \d+ added, \d+ removed, \d+ of \d+/);
});

await w.step("a click on a file opens it at its change", async () => {
  await w.rows("calc.py").first().click();
  await w.until("the file", async () => (await w.activeTab()) === "calc.py");
  const cursor = await w.until("the cursor", () => w.cursor());
  const line = files.after["src/calc.py"].split("\n")[cursor.line - 1];
  assert.ok(newLines("src/calc.py").has(line), `line ${cursor.line}: ${line}`);
});

await w.step("lenses stand above changed lines, and one for the file", async () => {
  await w.focusText();
  await w.until("lenses", async () => (await w.lenses()).some((text) => /turn \d+: \+\d+ -\d+/.test(text)));
  assert.ok((await w.lenses()).some((text) => /^Agent: \d+ edits? in \d+ turns?, \+\d+ -\d+/.test(text)));
  const wanted = newLines("src/calc.py");
  for (const { lens, line } of await w.linesBelowLenses()) {
    if (/turn \d+:/.test(lens) && !/^Agent/.test(lens)) {
      assert.ok(wanted.has(line), `the lens "${lens}" stands above "${line}"`);
    }
  }
});

await w.step("typing above a hunk keeps its lens on its line", async () => {
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# a new first line");
  await page.keyboard.press("Enter");
  const wanted = newLines("src/calc.py");
  await w.until("lenses on their lines", async () => {
    const all = (await w.linesBelowLenses()).filter(({ lens }) => /turn \d+:/.test(lens) && !/^Agent/.test(lens));
    return all.length > 0 && all.every(({ line }) => wanted.has(line));
  });
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
});

await w.step("hover shows the diff", async () => {
  await w.command("acp-lens: Next Change");
  await page.waitForTimeout(500);
  await w.command("Show or Focus Hover");
  const hover = page.locator(".monaco-hover:visible").first();
  await hover.waitFor();
  await w.until("the hover's text", async () => /turn \d+/.test((await hover.textContent()) ?? ""));
  await page.keyboard.press("Escape");
});

await w.step("next change goes on into other files, and previous comes back", async () => {
  const tabs = new Set();
  for (let count = 0; count < 14; count += 1) {
    const before = `${await w.activeTab()} ${JSON.stringify(await w.cursor())}`;
    await w.command("acp-lens: Next Change");
    await w.until("a jump", async () => `${await w.activeTab()} ${JSON.stringify(await w.cursor())}` !== before, 10_000);
    tabs.add(await w.activeTab());
  }
  assert.ok(tabs.size > 2, [...tabs].join(", "));
  const here = `${await w.activeTab()} ${JSON.stringify(await w.cursor())}`;
  await w.command("acp-lens: Previous Change");
  await w.until("another place", async () => `${await w.activeTab()} ${JSON.stringify(await w.cursor())}` !== here);
  await w.command("acp-lens: Next Change");
  await w.until("the place before", async () => `${await w.activeTab()} ${JSON.stringify(await w.cursor())}` === here);
});

await w.step("the diff of a turn opens in the diff editor", async () => {
  await w.openFile("calc.py");
  await w.command("acp-lens: Show Diff of the Session");
  await page.locator(".monaco-diff-editor").first().waitFor();
  await w.until("the title", async () => /calc\.py/.test(await w.activeTab()));
});

await w.step("all changes of the session open in one multi-file diff", async () => {
  await page.locator('.activitybar .action-item a[aria-label^="Agent Changes"]').click();
  const row = w.rows().first();
  await row.hover();
  await row.locator('.action-label[aria-label="Open All Changes"]').click();
  await page.locator(".multiDiffEntry, .multi-diff-root-floating-menu, .multiDiffEditor").first().waitFor();
  await w.until("several files", async () => (await page.locator(".multiDiffEntry").count()) > 1);
});

await w.step("a deleted or moved file can be read", async () => {
  const gone = Object.keys(files.before).find((name) => !(name in files.after));
  if (!gone) {
    return;
  }
  const row = w.rows(path.basename(gone)).first();
  if ((await row.count()) > 0) {
    await row.click();
    await page.locator(".monaco-diff-editor").first().waitFor();
  }
});

await w.step("the status bar says how many files changed", async () => {
  const item = page.locator('#acp-lens\\.acp-lens\\.acpLens\\.status, [id$="acpLens.status"]').first();
  await w.until("the item", async () => /Agent: \d+ files?/.test((await item.textContent()) ?? ""));
});

await w.step("the explorer marks changed files", async () => {
  await page.locator('.activitybar .action-item a[aria-label^="Explorer"]').click();
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "hello.py" });
  await row.waitFor();
  await w.until("the letter", async () => /A|M/.test(await row.evaluate((node) => {
    const label = node.querySelector(".monaco-icon-label");
    return label ? getComputedStyle(label, "::after").content : "";
  })));
});

await w.step("the quick pick lists files and changes", async () => {
  await w.command("acp-lens: Go to a Change...");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "calc.py" }).first().waitFor();
  await page.keyboard.press("Escape");
});

for (const theme of ["Default Light Modern", "Default High Contrast"]) {
  await w.step(`it can be read in ${theme}`, async () => {
    await w.openFile("calc.py");
    await page.locator('.activitybar .action-item a[aria-label^="Agent Changes"]').click();
    await w.command("Preferences: Color Theme");
    const input = page.locator(".quick-input-widget input.input");
    await input.fill(theme === "Default Light Modern" ? "Light Modern" : "Dark High Contrast");
    await page.waitForTimeout(500);
    await page.keyboard.press("Enter");
    await w.rows("calc.py").first().waitFor();
    await w.focusText();
    await w.until("lenses", async () => (await w.lenses()).some((text) => /turn \d+/.test(text)));
  });
}

console.log(`${w.passed} passed, ${w.failed} failed`);
if (w.failed > 0) {
  console.log(w.console.slice(-20).join("\n"));
}
await w.close();
process.exit(w.failed === 0 ? 0 : 1);
