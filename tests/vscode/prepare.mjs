// Writes the workspaces of the tour and VS Code's settings: node prepare.mjs WORK
//
// `recorded` is the workspace of a recorded session as it was at the session's end; the trace gets
// the workspace's own path in the place of the recorded one. In `live` and `followed` the demo
// agent will work, in `tapped` it works for another client. `both.code-workspace` holds two of them.
import fs from "node:fs";
import path from "node:path";

const [work] = process.argv.slice(2);
const here = import.meta.dirname;
const binary = process.env.ACP_LENS_BIN;

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const recorded = path.join(work, "recorded");
const traces = path.join(here, "../fixtures/traces");
const name = "zed-codex-acp-0.16.0-auto";
const files = JSON.parse(fs.readFileSync(path.join(traces, `${name}.files.json`), "utf8"));
for (const [relative, text] of Object.entries(files.after)) {
  write(path.join(recorded, relative), text);
}
write(path.join(work, "files.json"), JSON.stringify(files));
const trace = path.join(work, "trace.ndjson");
const text = fs.readFileSync(path.join(traces, `${name}.ndjson`), "utf8");
write(trace, text.replaceAll("/tmp/ws", recorded));
// A folder may name a recorded session of its own, once it is trusted.
write(path.join(recorded, ".vscode/settings.json"), JSON.stringify({ "acpLens.trace": trace }));

const demo = path.join(here, "../../crates/editor-server/src/demo/before");
for (const name of ["live", "followed", "tapped"]) {
  fs.cpSync(demo, path.join(work, name), { recursive: true });
}
write(
  path.join(work, "both.code-workspace"),
  JSON.stringify({
    folders: [{ path: "recorded" }, { path: "live" }],
    settings: { "acpLens.trace": trace },
  }),
);

const settings = {
  ...JSON.parse(fs.readFileSync(path.join(here, "settings.json"), "utf8")),
  "acpLens.agents": {
    demo: {
      command: binary,
      args: ["demo-agent", "--state-dir", path.join(work, "agent"), "--pace", "50"],
    },
  },
};
write(path.join(work, "data/User/settings.json"), JSON.stringify(settings, null, 2));
// A path belongs to the machine that the server runs on, which a person's own settings do not know.
write(
  path.join(work, "data/Machine/settings.json"),
  JSON.stringify({ "acpLens.server.path": binary }),
);
