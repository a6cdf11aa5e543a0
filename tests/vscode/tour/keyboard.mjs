// The view without a mouse: moving, opening, unfolding, its menu, and several rows at once.
import assert from "node:assert/strict";

export async function keyboard(w, at, url) {
  const { page } = w;
  const focused = page.locator(".part.sidebar .pane-body .monaco-list-row.focused");
  const label = () => focused.getAttribute("aria-label", { timeout: 500 }).catch(() => "");
  /** Presses a key until the row is focused that begins with a text. */
  const to = async (key, text) => {
    for (let count = 0; count < 40 && !(await label())?.startsWith(text); count += 1) {
      await page.keyboard.press(key);
      await page.waitForTimeout(20);
    }
    assert.ok((await label())?.startsWith(text), `${text}, not ${await label()}`);
  };

  /** Puts the focus into the view, on its first row. */
  const first = async () => {
    await w.command("acp-lens: Show Agent Changes");
    await w.rows("calc.py").first().waitFor();
    await w.until("the focus", () => page.evaluate(() => document.activeElement?.closest(".part.sidebar .monaco-list") !== null));
    await page.keyboard.press("Home");
    await w.eventually("the first row", label, (found) => found?.startsWith("codex-acp"));
  };

  await w.step("the keyboard reaches every row, and Enter opens one at its change", async () => {
    await w.open(url(at.recorded));
    await w.sideBar("Agent Changes");
    await w.rows("calc.py").first().waitFor();
    await first();
    await to("ArrowDown", "Turn 2");
    await to("ArrowDown", "src/calc.py");
    assert.match(await label(), /^src\/calc\.py, modified, 1 added, 1 removed, 1 of 3$/);
    await page.keyboard.press("Enter");
    await w.eventually("the change", () => w.place(), (place) => /^calc\.py:2:/.test(place));
  });

  await w.step("arrow keys unfold a file, and Enter goes to a hunk", async () => {
    await first();
    await to("ArrowDown", "Turn 3");
    await to("ArrowDown", "src/calc.py");
    await page.keyboard.press("ArrowRight");
    await w.rows(/^lines? \d/).first().waitFor();
    await page.keyboard.press("ArrowRight");
    await w.eventually("a hunk", label, (found) => /^lines? \d+.*, \d+ added, \d+ removed, 1 of 2$/.test(found));
    await to("ArrowDown", "lines 9-10");
    await page.keyboard.press("Enter");
    await w.eventually("its lines", () => w.place(), (place) => place === "calc.py:9:1");
  });

  await w.step("a created file has its text as one hunk", async () => {
    await first();
    await to("ArrowDown", "hello.py");
    await page.keyboard.press("ArrowRight");
    await w.rows("whole file").first().waitFor();
    await page.keyboard.press("ArrowRight");
    await w.eventually("the hunk", label, (found) => /^whole file, 5 added, 0 removed, 1 of 1$/.test(found));
    await page.keyboard.press("Enter");
    await w.eventually("the file", () => w.place(), (place) => place === "hello.py:1:1");
  });

  await w.step("several selected rows open together", async () => {
    await first();
    for (const name of ["hello.py", "existing.txt"]) {
      await to("ArrowDown", name);
      await page.keyboard.press("Control+Shift+Enter");
    }
    await page.keyboard.press("Shift+F10");
    const menu = page.locator(".monaco-menu:visible");
    await menu.waitFor();
    await w.until("the diff's entry", async () => {
      await page.keyboard.press("ArrowDown");
      return /Open Diff/.test(await menu.locator(".action-item.focused").textContent({ timeout: 500 }).catch(() => ""));
    });
    await page.keyboard.press("Enter");
    const tabs = page.locator(".tab");
    for (const name of ["hello.py (turn 1)", "existing.txt (turn 1)"]) {
      await tabs.filter({ hasText: name }).first().waitFor();
    }
  });

  await w.step("a walkthrough says where edits come from, and how to look at them", async () => {
    await w.command("Welcome: Open Walkthrough...");
    await w.pickerRows("See what agents change").first().click();
    const steps = page.locator(".gettingStartedContainer .step-title");
    await w.eventually(
      "the steps",
      () => steps.allTextContents(),
      (found) => ["An agent of another client", "An agent in this window", "Look at the changes"].every((title) => found.includes(title)),
    );
    await page.locator(".getting-started-step", { hasText: "Look at the changes" }).click();
    await page.locator(".getting-started-step.expanded a", { hasText: "Next Change" }).waitFor();
  });
}
