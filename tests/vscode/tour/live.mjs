// Sessions of the demo agent in the editor: prompts, questions, the timeline, crashes.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { processes } from "./robust.mjs";

const FIRST = "Give 10 % off on orders of 20 pounds and more.";
const SECOND = "Add tests for it, and tidy up the notes.";

export async function live(w, at, url) {
  const { page } = w;
  const view = w.sessionPage;
  const prompt = view.locator("#prompt");
  const timeline = view.locator("#timeline");

  /** Starts a session with the demo agent from the palette. */
  const start = async () => {
    await w.command("acp-lens: Start a Session");
    await w.until("the session view", async () => {
      // With one agent there is nothing to pick.
      await w.pickerRows("demo-agent").first().click({ timeout: 200 }).catch(() => undefined);
      return (await prompt.isVisible()) && (await view.locator("#send").isEnabled());
    });
  };
  const ask = async (text) => {
    await prompt.click();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  const idle = () =>
    w.until("the end of the turn", () => view.locator("#cancel").isHidden().then((hidden) => hidden && view.locator("#send").isEnabled()));

  await w.step("without sessions the view says what to do", async () => {
    await w.open(url(at.live));
    await w.sideBar("Agent Changes");
    const welcome = page.locator(".pane-body .welcome-view-content");
    await welcome.filter({ hasText: "No agent has changed anything yet." }).waitFor();
    for (const title of ["Start a Session", "Open a Recorded Session"]) {
      await page.locator(".pane-body .monaco-button", { hasText: title }).first().waitFor();
    }
  });

  await w.step("a session starts with the cursor in its prompt", async () => {
    await start();
    await w.eventually(
      "the focus",
      () => prompt.evaluate((node) => node.ownerDocument.activeElement === node),
      Boolean,
    );
    await w.rows("acp-lens-demo").first().waitFor();
  });

  await w.step("the timeline streams what the agent does, and the changes appear", async () => {
    await ask(FIRST);
    await timeline.locator(".message.user", { hasText: FIRST }).waitFor();
    await w.eventually(
      "the working agent",
      () => view.locator("#cancel").isVisible(),
      Boolean,
    );
    await timeline.locator(".status-completed", { hasText: "discount.py" }).first().waitFor();
    await timeline.locator(".message.agent", { hasText: "Orders of 20 pounds" }).waitFor();
    await idle();
    await w.rows("discount.py").first().waitFor();
    await w.rows("receipt.py").first().waitFor();
    await w.eventually("the badge", () => w.badge("Agent Changes"), (count) => count === 2);
    assert.match(fs.readFileSync(path.join(at.live, "receipt.py"), "utf8"), /amount - off/);
  });

  await w.step("a tool call leads to the lines that it changed", async () => {
    await timeline.locator(".files button", { hasText: "receipt.py" }).last().click();
    await w.eventually("the file", () => w.place(), (place) => /^receipt\.py:\d+:/.test(place));
    await w.focusText();
    await w.eventually("its lenses", () => w.lenses(), (found) => found.some(({ lens }) => /turn 1: \+/.test(lens)));
    await w.eventually("its marks", () => w.gutter(), (marks) => marks.length > 0);
  });

  await w.step("a question of the agent is a notification with its own answers", async () => {
    await ask(SECOND);
    const toast = w.notification("The agent asks");
    await toast.waitFor();
    const buttons = await toast.locator(".monaco-button").allTextContents();
    assert.ok(buttons.length >= 2, buttons.join());
    await view.locator("#questions button").first().waitFor();
    // The question takes room, but not the end of the timeline out of sight.
    await w.eventually("the end of the timeline", () => timeline.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight), (left) => left < 2);
    await w.eventually("the status bar", () => w.status.locator(".codicon-question").count(), (count) => count === 1);
  });

  await w.step("the notification's answer goes to the agent", async () => {
    const toast = w.notification("The agent asks");
    await toast.locator(".monaco-button", { hasText: /allow|yes/i }).first().click();
    await timeline.locator(".message.agent", { hasText: "Two tests" }).waitFor();
    await idle();
    await view.locator("#questions button").first().waitFor({ state: "detached" });
    await w.rows("test_discount.py").first().waitFor();
    await w.rows("prices-2019.txt").first().waitFor();
    assert.ok(!fs.existsSync(path.join(at.live, "notes/prices-2019.txt")));
  });

  await w.step("a second session stands beside the first", async () => {
    await start();
    await ask(FIRST);
    await timeline.locator(".message.user", { hasText: FIRST }).waitFor();
    await timeline.locator(".message.agent").last().waitFor();
    await idle();
    await w.eventually("two sessions", () => w.rows("acp-lens-demo").count(), (count) => count === 2);
  });

  await w.step("a question can be answered in the session view, by keyboard", async () => {
    await ask(SECOND);
    const button = view.locator("#questions button", { hasText: /reject|no/i }).first();
    await button.waitFor();
    const focused = () => button.evaluate((node) => node.ownerDocument.activeElement === node);
    await page.keyboard.press("Shift+Tab");
    await w.eventually("the last answer", focused, Boolean);
    await page.keyboard.press("Enter");
    await view.locator("#questions button").first().waitFor({ state: "detached" });
    await w.eventually("the focus back in the prompt", () => prompt.evaluate((node) => node.ownerDocument.activeElement === node), Boolean);
    await w.notification("The agent asks").waitFor({ state: "hidden" });
    await idle();
    await timeline.locator(".parts", { hasText: /Answered/ }).last().waitFor();
  });

  await w.step("the view goes back to the first session", async () => {
    await w.command("acp-lens: Choose a Session...");
    await w.pickerRows("acp-lens-demo").first().click();
    await timeline.locator(".message.agent", { hasText: "Two tests" }).waitFor();
  });

  await w.step("an agent that ends is told, and what it changed stays", async () => {
    const agents = processes("demo-agent");
    assert.ok(agents.length > 0);
    for (const pid of agents) {
      process.kill(pid, "SIGKILL");
    }
    await w.rows("disconnected").first().waitFor();
    await w.rows("discount.py").first().waitFor();
    await view.locator("#state", { hasText: /\S/ }).waitFor();
    await w.notification("the agent ended").first().waitFor();
  });

  await w.step("an earlier session can be loaded again", async () => {
    await w.command("Notifications: Clear All Notifications");
    await w.command("acp-lens: Load an Earlier Session...");
    await w.until("its timeline", async () => {
      await w.pickerRows("Give 10").first().click({ timeout: 200 }).catch(() => undefined);
      return timeline.locator(".message.user", { hasText: FIRST }).first().isVisible().catch(() => false);
    });
  });

  await w.step("a server that ends is started again, and a session can start in it", async () => {
    for (const pid of processes("lsp")) {
      process.kill(pid, "SIGKILL");
    }
    await view.locator("#empty", { hasText: "No session runs here." }).waitFor();
    await start();
    await w.rows("acp-lens-demo").first().waitFor();
  });

  await w.step("following shows what the agent edits beside the editor, which stays as it is", async () => {
    await w.open(url(at.followed));
    const follows = async () => JSON.parse(fs.readFileSync(at.userSettings, "utf8"))["acpLens.follow"];
    await w.openFile("README.md");
    await w.sideBar("Agent Changes");
    // Until the extension runs, its commands are not in the palette, and its view has no welcome.
    await page.locator(".pane-body .welcome-view-content", { hasText: "No agent has changed anything yet." }).waitFor();
    await w.command("acp-lens: Follow the Agent");
    await w.eventually("the setting", follows, (on) => on === true);
    await start();
    await ask(FIRST);
    const tabs = (group) => page.locator(".editor-group-container").nth(group).locator(".tab");
    await w.eventually("the edited file beside", () => tabs(1).allTextContents(), (found) => found.some((text) => text.includes("receipt.py")));
    await idle();
    assert.deepEqual(await tabs(0).allTextContents(), ["README.md"]);
    assert.ok(await prompt.evaluate((node) => node.ownerDocument.activeElement === node));
    await w.viewAction("Changes", "Stop Following the Agent");
    await w.eventually("the setting", follows, (on) => on === false);
  });
}
