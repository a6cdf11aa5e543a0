/** Showing files and diffs. */

import * as vscode from "vscode";
import { t } from "../l10n.ts";
import { type DiffResult, type DiffScope, type GoToResult, method } from "../protocol.ts";
import type { Server } from "../server.ts";

export function toRange(range: GoToResult["range"]): vscode.Range {
  return new vscode.Range(
    range.start.line,
    range.start.character,
    range.end.line,
    range.end.character,
  );
}

/** Shows a file with the cursor at the start of a range. */
export async function show(uri: string, range: vscode.Range | null, preview = true): Promise<void> {
  const at = range?.start ?? new vscode.Position(0, 0);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
    preview,
    selection: new vscode.Range(at, at),
  });
  if (range) {
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** Opens the diff of a file in the built-in diff editor; without one it is said why. */
export async function openDiff(
  server: Server,
  session: string,
  relativePath: string,
  scope: DiffScope,
  preview = true,
): Promise<void> {
  const result = await server.request<DiffResult>(method.diff, {
    session,
    relativePath,
    scope,
  });
  if (!result) {
    return;
  }
  if (result.oldText === null || result.newText === null || result.oldText === result.newText) {
    void vscode.window.showInformationMessage(
      `${result.label}: ${result.reason ?? t("no net change")}`,
    );
    return;
  }
  const first = result.hunks[0]?.newStart ?? 0;
  const title = result.net ? result.label : t("{0} (pieces, not one change)", result.label);
  await vscode.commands.executeCommand(
    "vscode.diff",
    vscode.Uri.parse(result.oldUri),
    vscode.Uri.parse(result.newUri),
    title,
    { preview, selection: new vscode.Range(first, 0, first, 0) },
  );
}
