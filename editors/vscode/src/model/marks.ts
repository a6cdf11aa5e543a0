/** Which lines of an editor get which mark. */

import type { Hunk, HunkKind } from "../protocol.ts";

/** Lines from 0, the last one included. */
export interface Lines {
  first: number;
  last: number;
}

/** The lines of a hunk with a place; a deletion is a seam at one line. */
export function linesOf(hunk: Hunk, lineCount: number): Lines | null {
  if (!hunk.range || lineCount === 0) {
    return null;
  }
  const { start, end } = hunk.range;
  const first = Math.min(start.line, lineCount - 1);
  // A range of whole lines ends at character 0 of the line below.
  const below = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first, last: Math.max(first, Math.min(below, lineCount - 1)) };
}

/** Lines by kind of mark. */
export function marksOf(hunks: Hunk[], lineCount: number): Record<HunkKind, Lines[]> {
  const marks: Record<HunkKind, Lines[]> = { added: [], modified: [], deleted: [] };
  for (const hunk of hunks) {
    const lines = linesOf(hunk, lineCount);
    if (lines) {
      marks[hunk.kind].push(lines);
    }
  }
  return marks;
}

/** The hunk at a line, the innermost first. */
export function hunkAt(hunks: Hunk[], line: number, lineCount: number): Hunk | null {
  let best: { hunk: Hunk; height: number } | null = null;
  for (const hunk of hunks) {
    const lines = linesOf(hunk, lineCount);
    if (lines && line >= lines.first && line <= lines.last) {
      const height = lines.last - lines.first;
      if (!best || height < best.height) {
        best = { hunk, height };
      }
    }
  }
  return best?.hunk ?? null;
}
