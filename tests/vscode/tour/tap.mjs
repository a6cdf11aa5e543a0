// A session of another client, seen through `acp-lens tap`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

/** A client of the demo agent behind a tap, as another editor would be one. */
function client(folder, state) {
  const binary = process.env.ACP_LENS_BIN;
  const agent = [binary, "demo-agent", "--state-dir", state, "--pace", "20"];
  const child = spawn(binary, ["tap", "--", ...agent], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "session/request_permission") {
      const option = message.params.options.find(({ kind }) => kind.startsWith("allow"));
      const outcome = { outcome: "selected", optionId: option.optionId };
      send({ id: message.id, result: { outcome } });
    } else if (message.id !== undefined && !message.method) {
      waiting.get(message.id)?.(message);
    }
  });
  let id = 0;
  return {
    async request(method, params) {
      id += 1;
      const answer = new Promise((resolve) => waiting.set(id, resolve));
      send({ id, method, params });
      const { result, error } = await answer;
      assert.equal(error, undefined, JSON.stringify(error));
      return result;
    },
    end: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.stdin.end();
      }),
  };
}

export async function tap(w, at, url) {
  const { page } = w;
  const view = w.sessionPage;
  const other = client(at.tapped, path.join(path.dirname(at.tapped), "tapped-agent"));
  let sessionId;
  const prompt = (text) =>
    other.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

  await w.step("a session that another client runs shows in the window, as it goes", async () => {
    await w.open(url(at.tapped));
    await w.sideBar("Agent Changes");
    await page.locator(".pane-body .welcome-view-content").first().waitFor();
    await other.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
    });
    ({ sessionId } = await other.request("session/new", { cwd: at.tapped, mcpServers: [] }));
    await prompt("Give 10 % off on orders of 20 pounds and more.");
    await w.rows("discount.py").first().waitFor();
    await w.rows("receipt.py").first().waitFor();
    await w.eventually("the badge", () => w.badge("Agent Changes"), (count) => count === 2);
    const [session] = await w.rowLabels();
    assert.match(session, /of another client/);
  });

  await w.step("it can be watched there, and is not prompted", async () => {
    await view.locator("#note", { hasText: "belongs to another client" }).waitFor();
    await view.locator("#timeline .message.agent", { hasText: "10 % off" }).waitFor();
    assert.ok(await view.locator("#form").isHidden());
    await prompt("Add tests for it, and tidy up the notes.");
    await view.locator("#timeline .message.agent", { hasText: "Two tests" }).waitFor();
    await w.rows("test_discount.py").first().waitFor();
  });

  await w.step("its lenses stand in the files, and its end is told", async () => {
    await w.openFile("receipt.py");
    await w.eventually("its lenses", () => w.lenses(), (found) => found.some(({ lens }) => /^turn 1: \+/.test(lens)));
    await other.end();
    await w.rows("disconnected").first().waitFor();
    await w.rows("receipt.py").first().waitFor();
  });
}
