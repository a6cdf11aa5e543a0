// Writes the workspace of the tour and VS Code's settings: node prepare.mjs WORK
//
// The workspace is that of a recorded session, as it was at the session's end; the trace gets the
// workspace's own path in the place of the recorded one.
import fs from "node:fs";
import path from "node:path";

const [work] = process.argv.slice(2);
const here = import.meta.dirname;
const traces = path.join(here, "../fixtures/traces");
const name = process.env.ACP_TRACE ?? "claude-agent-acp-0.101.0-automode";
const workspace = path.join(work, "workspace");

const files = JSON.parse(fs.readFileSync(path.join(traces, `${name}.files.json`), "utf8"));
for (const [relative, text] of Object.entries(files.after)) {
  const file = path.join(workspace, relative);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
fs.writeFileSync(path.join(work, "files.json"), JSON.stringify(files));
const trace = fs.readFileSync(path.join(traces, `${name}.ndjson`), "utf8");
fs.writeFileSync(path.join(work, "trace.ndjson"), trace.replaceAll("/tmp/ws", workspace));

const settings = JSON.parse(fs.readFileSync(path.join(here, "settings.json"), "utf8"));
settings["acpLens.server.path"] = process.env.ACP_LENS_BIN;
settings["acpLens.trace"] = path.join(work, "trace.ndjson");
fs.writeFileSync(
  path.join(work, "data/User/settings.json"),
  JSON.stringify(settings, null, 2),
);
