// The tour through a real VS Code: node tour.mjs PORT WORK SHOTS [PART...]
import path from "node:path";
import { live } from "./tour/live.mjs";
import { robust } from "./tour/robust.mjs";
import { themes } from "./tour/themes.mjs";
import { trace } from "./tour/trace.mjs";
import { TooMany, Workbench } from "./workbench.mjs";

const [port, work, shots, ...names] = process.argv.slice(2);
const parts = { trace, themes, robust, live };
const url = (folder) => `http://127.0.0.1:${port}/?folder=${folder}`;

const w = await Workbench.launch(shots);
/** The folders of the tour, and the files with the settings of each and of the user. */
const at = {
  trace: path.join(work, "trace.ndjson"),
  files: path.join(work, "files.json"),
  recorded: path.join(work, "recorded"),
  recordedSettings: path.join(work, "recorded/.vscode/settings.json"),
  live: path.join(work, "live"),
  userSettings: path.join(work, "data/User/settings.json"),
  missing: path.join(work, "missing"),
};
try {
  for (const [name, part] of Object.entries(parts)) {
    if (names.length === 0 || names.includes(name)) {
      console.log(`-- ${name}`);
      await part(w, at, url);
    }
  }
} catch (error) {
  if (!(error instanceof TooMany)) {
    throw error;
  }
  console.log("too many failures: the rest is left out");
}
console.log(`${w.passed} passed, ${w.failed} failed`);
if (w.failed > 0) {
  console.log(w.console.slice(-20).join("\n"));
}
await w.close();
process.exit(w.failed === 0 ? 0 : 1);
