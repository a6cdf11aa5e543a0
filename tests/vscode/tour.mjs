// The tour through a real VS Code: node tour.mjs PORT WORK SHOTS [PART...]
import path from "node:path";
import { folders } from "./tour/folders.mjs";
import { keyboard } from "./tour/keyboard.mjs";
import { live } from "./tour/live.mjs";
import { robust } from "./tour/robust.mjs";
import { tap } from "./tour/tap.mjs";
import { themes } from "./tour/themes.mjs";
import { trace } from "./tour/trace.mjs";
import { TooMany, Workbench } from "./workbench.mjs";

const [port, work, shots, ...names] = process.argv.slice(2);
const parts = { trace, keyboard, themes, robust, live, tap, folders };
/** The address of a folder, or of a file that names several. */
const url = (place) =>
  `http://127.0.0.1:${port}/?${place.endsWith(".code-workspace") ? "workspace" : "folder"}=${place}`;

const w = await Workbench.launch(shots);
/** The folders of the tour, and the files with the settings of each and of the user. */
const at = {
  trace: path.join(work, "trace.ndjson"),
  files: path.join(work, "files.json"),
  recorded: path.join(work, "recorded"),
  recordedSettings: path.join(work, "recorded/.vscode/settings.json"),
  live: path.join(work, "live"),
  followed: path.join(work, "followed"),
  tapped: path.join(work, "tapped"),
  both: path.join(work, "both.code-workspace"),
  activations: path.join(work, "activation.ndjson"),
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
