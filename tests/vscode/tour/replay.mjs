// What the command line says about the recorded session: the views must say the same.
import { execFileSync } from "node:child_process";
import path from "node:path";

/** Turns and files of a trace, as `acp-lens replay` gives them. */
export function replayed(trace) {
  const json = execFileSync(process.env.ACP_LENS_BIN, ["replay", "--format", "json", trace], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const session = JSON.parse(json).sessions[0];
  return {
    fileCount: session.uniqueFileCount,
    turns: Object.values(session.turnSummaries),
  };
}

/** What a screen reader says for the row of a file in a turn. */
export function fileLabel(row) {
  const counts =
    row.added === null && row.removed === null
      ? "lines not counted"
      : `${row.added ?? "?"} added, ${row.removed ?? "?"} removed`;
  return `${row.relativePath}, ${row.action}, ${counts}`;
}

/** The name of a file, as its row shows it. */
export const nameOf = (row) => path.basename(row.relativePath);
