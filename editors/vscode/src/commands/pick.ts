/** A picker over changed files and hunks, with a preview. */

import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { t } from "../l10n.ts";
import { counts, LETTER, sessionTitle } from "../model/text.ts";
import { type FileNode, files } from "../model/tree.ts";
import { type FileInfo, type HunksResult, method } from "../protocol.ts";
import { openDiff, show, toRange } from "./open.ts";

interface ChangeItem extends vscode.QuickPickItem {
  file?: FileInfo;
  range?: vscode.Range | null;
}

/** The files of all sessions, each with those of its hunks that stand somewhere. */
async function changeItems(context: Context): Promise<ChangeItem[]> {
  const sessions = context.store.sessions.map(async (entry): Promise<ChangeItem[]> => {
    const items = await Promise.all(files(entry, null).map((node) => fileItems(context, node)));
    const title = { label: sessionTitle(entry.info, t), kind: vscode.QuickPickItemKind.Separator };
    return items.length > 0 ? [title, ...items.flat()] : [];
  });
  return (await Promise.all(sessions)).flat();
}

async function fileItems(
  context: Context,
  { file, row, session }: FileNode,
): Promise<ChangeItem[]> {
  const path = file.file.relativePath;
  const own: ChangeItem = {
    label: `$(file) ${path}`,
    description: `${LETTER[row.action]}  ${counts(row.added, row.removed)}`,
    file,
    range: null,
  };
  if (row.action === "deleted") {
    return [own];
  }
  const answer = await context.server.requestQuietly<HunksResult>(method.hunks, {
    uri: file.uri,
    withText: false,
  });
  const hunks = "result" in answer ? answer.result.hunks : [];
  const placed = hunks.flatMap((hunk): ChangeItem[] =>
    hunk.range && hunk.session === session
      ? [
          {
            label: `    $(diff-single) ${path}:${hunk.range.start.line + 1}`,
            description: `${t("Turn {0}", hunk.turnNumber)}  ${counts(hunk.added, hunk.removed)}`,
            file,
            range: toRange(hunk.range),
          },
        ]
      : [],
  );
  return [own, ...placed];
}

/** A quick pick over files and hunks that shows each in a preview while one moves through it. */
export async function pickChange(context: Context): Promise<void> {
  const before = vscode.window.activeTextEditor;
  const pick = vscode.window.createQuickPick<ChangeItem>();
  pick.title = t("Agent changes");
  pick.placeholder = t("A file or a change");
  pick.matchOnDescription = true;
  pick.busy = true;
  let first = true;
  let accepted = false;
  let hidden = false;
  let previewed = false;
  // One preview at a time, and none that the person has already left again.
  let previews = Promise.resolve();
  const preview = async (item: ChangeItem | undefined) => {
    if (item?.file && item.file.action !== "deleted" && item === pick.activeItems[0] && !hidden) {
      previewed = await peek(context, item.file.uri, item.range ?? null);
    }
  };
  pick.onDidChangeActive(([item]) => {
    // The first row is active from the start; only a person's move shows something.
    if (first) {
      first = false;
      return;
    }
    previews = previews.then(() => preview(item));
  });
  pick.onDidAccept(async () => {
    const item = pick.selectedItems[0];
    accepted = true;
    pick.hide();
    await previews;
    if (!item?.file) {
      return;
    }
    if (item.file.action === "deleted") {
      await openDiff(context.server, item.file.session, item.file.file.relativePath, {
        kind: "session",
      });
    } else {
      await show(item.file.uri, item.range ?? null, false);
    }
  });
  pick.onDidHide(async () => {
    hidden = true;
    pick.dispose();
    await previews;
    if (!accepted && previewed && before) {
      await vscode.window.showTextDocument(before.document, {
        viewColumn: before.viewColumn ?? vscode.ViewColumn.Active,
        selection: before.selection,
      });
    }
  });
  pick.show();
  const items = await changeItems(context);
  if (!hidden) {
    pick.items = items;
    pick.busy = false;
  }
}

/** Shows a place while the focus stays in the picker; false when the file cannot be shown. */
async function peek(context: Context, uri: string, range: vscode.Range | null): Promise<boolean> {
  const at = range?.start ?? new vscode.Position(0, 0);
  try {
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
      preview: true,
      preserveFocus: true,
      selection: new vscode.Range(at, at),
    });
    return true;
  } catch (error) {
    // The file went away since the agent changed it: there is nothing to preview.
    context.server.log.debug(`preview: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}
