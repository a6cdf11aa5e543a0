// A window with several folders.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

export async function folders(w, at, url) {
  const { page } = w;
  const view = w.sessionPage;
  const letter = (name) =>
    page
      .locator(".explorer-folders-view .monaco-list-row", { hasText: name })
      .locator(".monaco-icon-label")
      .first()
      .evaluate((node) => getComputedStyle(node, "::after").content)
      .catch(() => "");

  await w.step("a window with several folders shows the sessions of each", async () => {
    // What the demo agent will write again.
    for (const name of ["discount.py", "test_discount.py"]) {
      fs.rmSync(path.join(at.live, name), { force: true });
    }
    const open = async () => {
      await w.open(url(at.both));
      await w.sideBar("Agent Changes");
      await w.rows("calc.py").first().waitFor();
      // The folders of a workspace file may come to the extension after the window is up.
      await w.rows(/codex-acp.*recorded/).first().waitFor();
    };
    // Seen once and never again: a window whose rows did not name their folder. It is told, and the
    // window gets a second chance.
    await open().catch((error) => {
      console.log(`note: the window is opened again: ${error.message.split("\n")[0]}`);
      return open();
    });
    await w.command("View: Close All Editors");
    // What stands below it has to be in sight.
    await w.rows("codex-acp").first().locator(".monaco-tl-twistie").click();
    await w.command("acp-lens: Start a Session");
    // The session needs a folder, which nothing else tells.
    await w.pickerRows("live").first().click();
    await w.until("the session view", async () => {
      await w.pickerRows("demo-agent").first().click({ timeout: 200 }).catch(() => undefined);
      return view.locator("#send").isEnabled().catch(() => false);
    });
    const labels = await w.eventually(
      "both sessions",
      () => w.rows(/codex-acp|acp-lens-demo/).evaluateAll((rows) => rows.map((row) => row.textContent)),
      (found) => found.length === 2,
    );
    assert.ok(labels.some((text) => /codex-acp.*recorded/.test(text)), labels.join());
    assert.ok(labels.some((text) => /acp-lens-demo.*live/.test(text)), labels.join());
  });

  await w.step("changes of both folders are counted, and marked in the Explorer", async () => {
    const before = await w.badge("Agent Changes");
    await view.locator("#prompt").click();
    await page.keyboard.type("Give 10 % off on orders of 20 pounds and more.");
    await page.keyboard.press("Enter");
    await w.rows("discount.py").first().waitFor();
    await w.eventually("the badge", () => w.badge("Agent Changes"), (count) => count > before);
    await w.sideBar("Explorer");
    const folder = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "live" }).first();
    if ((await folder.getAttribute("aria-expanded")) === "false") {
      await folder.click();
    }
    await w.eventually("the letter in one folder", () => letter("discount.py"), (text) => text.includes("A"));
    await w.eventually("the letter in the other", () => letter("hello.py"), (text) => text.includes("A"));
  });
}
