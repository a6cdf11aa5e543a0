// What happens when the server ends, and where the folder is not trusted.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** Ids of the processes that run with exactly these arguments after the tour's binary. */
export function processes(...args) {
  const found = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  const wanted = [process.env.ACP_LENS_BIN, ...args].join(" ");
  return found
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.replace(/^\d+ /, "").startsWith(wanted))
    .map((line) => Number.parseInt(line, 10));
}

export async function robust(w, at, url) {
  const { page } = w;

  await w.step("a server that ends is started again, and the marks come back", async () => {
    await w.open(url(at.recorded));
    await w.openFile("src/calc.py");
    await w.until("marks", async () => (await w.gutter()).length > 0);
    const before = processes("lsp");
    assert.equal(before.length, 1);
    for (const pid of before) {
      process.kill(pid, "SIGKILL");
    }
    await w.eventually("another server", async () => processes("lsp"), (found) => found.length > 0 && !found.some((pid) => before.includes(pid)));
    await w.focusText();
    await w.eventually("marks", () => w.gutter(), (marks) => marks.length > 0);
    await w.eventually("lenses", () => w.lenses(), (found) => found.some(({ lens, live }) => live && /^turn/.test(lens)));
    await w.sideBar("Agent Changes");
    await w.rows("calc.py").first().waitFor();
  });

  await w.step("a wrong path of the binary is told, and a right one starts the server", async () => {
    w.settings(at.recordedSettings, { "acpLens.server.path": at.missing });
    await w.notification("which cannot be run").waitFor();
    await w.eventually("no marks", () => w.gutter(), (marks) => marks.length === 0);
    w.settings(at.recordedSettings, { "acpLens.server.path": undefined });
    await w.eventually("marks", () => w.gutter(), (marks) => marks.length > 0);
  });

  await w.step("activation costs the extension host little time", async () => {
    await w.command("Developer: Show Running Extensions");
    const row = page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "acp-lens" }).first();
    await row.waitFor();
    const text = await w.eventually("the time", () => row.textContent(), (found) => /Activation: \d+ms/.test(found));
    console.log(`    as VS Code shows it, with what other extensions load meanwhile: ${/Activation: (\d+)ms/.exec(text)[1]} ms`);
    const times = fs
      .readFileSync(at.activations, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const sum = ({ load, activate }, kind) => load[kind] + activate[kind];
    for (const time of times) {
      console.log(
        `    ${sum(time, "cpuMs").toFixed(1)} ms of work: ${time.load.cpuMs.toFixed(1)} to load, ${time.activate.cpuMs.toFixed(1)} to activate; ${sum(time, "wallMs").toFixed(1)} ms by the clock`,
      );
    }
    const median = times.map((time) => sum(time, "cpuMs")).sort((a, b) => a - b)[Math.floor(times.length / 2)];
    assert.ok(median < 50, `${median} ms`);
  });

  await w.step("a folder that is not trusted is told, and its own settings are not read", async () => {
    w.settings(at.userSettings, {
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
    });
    await w.open(url(at.recorded));
    await w.sideBar("Agent Changes");
    await page.locator(".pane-body .welcome-view-content", { hasText: "This workspace is not trusted" }).waitFor();
    if ((await w.badge("Agent Changes")) !== 0) {
      throw new Error("the trace that the folder names was read");
    }
  });

  await w.step("no agent starts where the folder is not trusted, and it is said why", async () => {
    await w.command("acp-lens: Start a Session");
    await w.notification("once this workspace is trusted").waitFor();
    assert.deepEqual(processes("demo-agent"), []);
    w.settings(at.userSettings, { "security.workspace.trust.enabled": false });
  });
}
