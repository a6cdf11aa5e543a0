/** Commands about changed files: open, diff, go, pick, copy. */

import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { t } from "../l10n.ts";
import { counts, LETTER, sessionTitle } from "../model/text.ts";
import { files } from "../model/tree.ts";
import {
  type DiffResult,
  type DiffScope,
  type FileInfo,
  type GoToResult,
  type HunksResult,
  method,
} from "../protocol.ts";
import type { ViewNode } from "../views/changes.ts";

/** What the server's lenses carry. */
interface LensArgument {
  hunk?: string;
  uri?: string;
  session?: string;
  turn?: string;
}

function toRange(range: GoToResult["range"]): vscode.Range {
  return new vscode.Range(
    range.start.line,
    range.start.character,
    range.end.line,
    range.end.character,
  );
}

/** Shows a file with the cursor at the start of a range. */
async function show(uri: string, range: vscode.Range | null, preview = true): Promise<void> {
  const at = range?.start ?? new vscode.Position(0, 0);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
    preview,
    selection: new vscode.Range(at, at),
  });
  if (range) {
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

async function goTo(context: Context, direction: "next" | "previous", argument?: LensArgument) {
  const editor = vscode.window.activeTextEditor;
  const from = argument?.hunk ? context.marks.byId(argument.hunk) : null;
  const here =
    editor && editor.document.uri.scheme === "file"
      ? { uri: editor.document.uri.toString(), position: editor.selection.active }
      : {};
  const start =
    from?.hunk.range != null ? { uri: from.uri, position: from.hunk.range.start } : here;
  const result = await context.server.request<GoToResult>(method.goTo, {
    direction,
    scope: "all",
    ...start,
  });
  if (!result) {
    vscode.window.setStatusBarMessage(t("No agent changed anything here."), 4000);
    return;
  }
  await show(result.uri, toRange(result.range));
  // The next press may come before the editor tells which file is active now.
  await vscode.commands.executeCommand("setContext", "acpLens.editorChanged", true);
  const words = t("Change {0} of {1}", result.index, result.total);
  vscode.window.setStatusBarMessage(result.wrapped ? `${words} ${t("(wrapped)")}` : words, 4000);
}

async function openDiff(
  context: Context,
  session: string,
  relativePath: string,
  scope: DiffScope,
): Promise<void> {
  const result = await context.server.request<DiffResult>(method.diff, {
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
    { preview: true, selection: new vscode.Range(first, 0, first, 0) },
  );
}

async function diffAtCursor(context: Context, argument: LensArgument | undefined, whole: boolean) {
  const editor = vscode.window.activeTextEditor;
  const named = argument?.hunk ? context.marks.byId(argument.hunk) : null;
  if (argument?.hunk && !named) {
    void vscode.window.showInformationMessage(
      t("This change is gone; it was replaced, or its session was closed."),
    );
    return;
  }
  const hunk = named?.hunk ?? (editor ? await context.marks.atCursor(editor) : null);
  const uri = named ? vscode.Uri.parse(named.uri) : editor?.document.uri;
  const file = uri ? context.store.fileOf(uri.toString(), hunk?.session) : null;
  if (!file) {
    vscode.window.setStatusBarMessage(t("No agent changed this file."), 4000);
    return;
  }
  const turn = hunk?.turn ?? file.turns.at(-1)?.turn;
  await openDiff(
    context,
    file.session,
    file.file.relativePath,
    whole || !turn ? { kind: "session" } : { kind: "turn", turn },
  );
}

/** The rows that a view command acts on: the selection when it holds the clicked row. */
function selected(node: ViewNode | undefined, all: ViewNode[] | undefined): ViewNode[] {
  if (all && node && all.some((other) => other.key === node.key)) {
    return all;
  }
  return node ? [node] : [];
}

async function openFile(context: Context, node: ViewNode, preview: boolean): Promise<void> {
  if (node.type === "hunk") {
    const range = node.hunk.range;
    await show(node.parent.file.uri, range ? toRange(range) : null, preview);
    return;
  }
  if (node.type !== "file" || node.row.action === "deleted") {
    return;
  }
  const result = await context.server.requestQuietly<GoToResult | null>(method.goTo, {
    direction: "first",
    scope: "file",
    uri: node.file.uri,
    session: node.session,
    turn: node.turn,
  });
  const range = "result" in result && result.result ? toRange(result.result.range) : null;
  await show(node.file.uri, range, preview);
}

/** All files of a turn or a session in VS Code's multi-file diff. */
async function openAllDiffs(context: Context, node: ViewNode): Promise<void> {
  if (node.type !== "session" && node.type !== "turn") {
    return;
  }
  const session = node.type === "session" ? node.info.session : node.session;
  const entry = context.store.session(session);
  if (!entry) {
    return;
  }
  const turn = node.type === "turn" ? node.turn.turn : null;
  const scope: DiffScope = turn ? { kind: "turn", turn } : { kind: "session" };
  const rows: [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined][] = [];
  for (const file of files(entry, turn)) {
    const answer = await context.server.requestQuietly<DiffResult>(method.diff, {
      session,
      relativePath: file.file.file.relativePath,
      scope,
    });
    if ("result" in answer && answer.result.oldText !== null && answer.result.newText !== null) {
      rows.push([
        vscode.Uri.parse(file.file.uri),
        file.row.action === "created" ? undefined : vscode.Uri.parse(answer.result.oldUri),
        file.row.action === "deleted" ? undefined : vscode.Uri.parse(answer.result.newUri),
      ]);
    }
  }
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(t("The agent gave no texts of these changes."));
    return;
  }
  const title = sessionTitle(entry.info, t);
  await vscode.commands.executeCommand(
    "vscode.changes",
    node.type === "turn" ? `${title}, ${t("Turn {0}", node.turn.number)}` : title,
    rows,
  );
}

interface ChangeItem extends vscode.QuickPickItem {
  file?: FileInfo;
  range?: vscode.Range | null;
}

async function changeItems(context: Context): Promise<ChangeItem[]> {
  const items: ChangeItem[] = [];
  for (const entry of context.store.sessions) {
    const found = files(entry, null);
    if (found.length === 0) {
      continue;
    }
    items.push({
      label: sessionTitle(entry.info, t),
      kind: vscode.QuickPickItemKind.Separator,
    });
    for (const node of found) {
      items.push({
        label: `$(file) ${node.file.file.relativePath}`,
        description: `${LETTER[node.row.action]}  ${counts(node.row.added, node.row.removed)}`,
        file: node.file,
        range: null,
      });
      if (node.row.action === "deleted") {
        continue;
      }
      const answer = await context.server.requestQuietly<HunksResult>(method.hunks, {
        uri: node.file.uri,
        withText: false,
      });
      for (const hunk of "result" in answer ? answer.result.hunks : []) {
        if (hunk.range && hunk.session === node.session) {
          items.push({
            label: `    $(diff) ${node.file.file.relativePath}:${hunk.range.start.line + 1}`,
            description: `${t("Turn {0}", hunk.turnNumber)}  ${counts(hunk.added, hunk.removed)}`,
            file: node.file,
            range: toRange(hunk.range),
          });
        }
      }
    }
  }
  return items;
}

/** A quick pick over files and hunks that shows each in a preview while one moves through it. */
async function pickChange(context: Context): Promise<void> {
  const before = vscode.window.activeTextEditor;
  const pick = vscode.window.createQuickPick<ChangeItem>();
  pick.title = t("Agent changes");
  pick.placeholder = t("A file or a change");
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.show();
  pick.items = await changeItems(context);
  pick.busy = false;
  let moved = false;
  let accepted = false;
  let hidden = false;
  // One preview at a time, and none that the person has already left again.
  let previews = Promise.resolve();
  pick.onDidChangeActive(([item]) => {
    // The first row is active from the start; only a person's move shows something.
    if (!moved) {
      moved = true;
      return;
    }
    previews = previews.then(() =>
      item?.file && item.file.action !== "deleted" && item === pick.activeItems[0] && !hidden
        ? peek(item).catch(() => undefined)
        : undefined,
    );
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
      await openDiff(context, item.file.session, item.file.file.relativePath, { kind: "session" });
    } else {
      await show(item.file.uri, item.range ?? null, false);
    }
  });
  pick.onDidHide(async () => {
    hidden = true;
    pick.dispose();
    await previews;
    if (!accepted && moved && before) {
      await vscode.window.showTextDocument(before.document, {
        viewColumn: before.viewColumn ?? vscode.ViewColumn.Active,
        selection: before.selection,
      });
    }
  });
}

async function peek(item: ChangeItem): Promise<void> {
  const at = item.range?.start ?? new vscode.Position(0, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(item.file?.uri ?? ""), {
    preview: true,
    preserveFocus: true,
    selection: new vscode.Range(at, at),
  });
}

async function copyOldText(context: Context, argument: LensArgument | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const id = argument?.hunk ?? (editor ? (await context.marks.atCursor(editor))?.id : undefined);
  const uri = (id && context.marks.byId(id)?.uri) || editor?.document.uri.toString();
  if (!id || !uri) {
    return;
  }
  const result = await context.server.request<HunksResult>(method.hunks, { uri, withText: true });
  const text = result?.hunks.find((hunk) => hunk.id === id)?.oldText;
  if (typeof text === "string") {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(t("The old text is in the clipboard."), 4000);
  }
}

async function filter(context: Context): Promise<void> {
  const items = context.store.sessions.flatMap((entry) => [
    {
      label: `$(robot) ${sessionTitle(entry.info, t)}`,
      description: t("{0} files", entry.files.size),
      filter: { session: entry.info.session, turn: null as string | null },
    },
    ...[...entry.turns.values()]
      .filter((turn) => turn.files > 0)
      .map((turn) => ({
        label: `    $(comment) ${t("Turn {0}", turn.number)}`,
        description: `${counts(turn.added, turn.removed)}  ${turn.prompt ?? ""}`,
        filter: { session: entry.info.session, turn: turn.turn as string | null },
      })),
  ]);
  const picked = await vscode.window.showQuickPick(items, {
    title: t("Show only"),
    matchOnDescription: true,
  });
  if (picked) {
    context.changes.setFilter(picked.filter);
  }
}

export function registerChanges(context: Context): vscode.Disposable[] {
  const on = (name: string, run: (...args: never[]) => unknown) =>
    vscode.commands.registerCommand(`acpLens.${name}`, run);
  return [
    on("nextChange", (argument?: LensArgument) => goTo(context, "next", argument)),
    on("previousChange", (argument?: LensArgument) => goTo(context, "previous", argument)),
    on("showDiff", (argument?: LensArgument) => diffAtCursor(context, argument, false)),
    on("showSessionDiff", (argument?: LensArgument) => diffAtCursor(context, argument, true)),
    on("copyOldText", (argument?: LensArgument) => copyOldText(context, argument)),
    on("showChanges", (argument?: LensArgument) =>
      argument?.session
        ? context.changes.reveal(argument.session, argument.turn ?? null)
        : vscode.commands.executeCommand("acpLens.changes.focus"),
    ),
    on("openFile", async (node?: ViewNode, all?: ViewNode[]) => {
      const nodes = selected(node, all);
      for (const each of nodes) {
        await openFile(context, each, nodes.length === 1);
      }
    }),
    on("openDiff", async (node?: ViewNode, all?: ViewNode[]) => {
      for (const each of selected(node, all)) {
        const file = each.type === "hunk" ? each.parent : each.type === "file" ? each : null;
        if (file) {
          const turn = each.type === "hunk" ? each.hunk.turn : file.turn;
          await openDiff(
            context,
            file.session,
            file.file.file.relativePath,
            turn ? { kind: "turn", turn } : { kind: "session" },
          );
        }
      }
    }),
    on("openAllDiffs", (node?: ViewNode) => node && openAllDiffs(context, node)),
    on("pickChange", () => pickChange(context)),
    on("filter", () => filter(context)),
    on("clearFilter", () => context.changes.setFilter({ session: null, turn: null })),
  ];
}
