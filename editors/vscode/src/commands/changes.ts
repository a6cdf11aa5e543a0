/** Commands about changed files: open, diff, go, pick, copy. */

import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { t } from "../l10n.ts";
import { orderedTurns } from "../model/store.ts";
import { counts, firstLine, sessionTitle } from "../model/text.ts";
import { files } from "../model/tree.ts";
import {
  type DiffResult,
  type DiffScope,
  type GoToResult,
  type HunksResult,
  method,
} from "../protocol.ts";
import type { ViewNode } from "../views/changes.ts";
import { openDiff, show, toRange } from "./open.ts";
import { pickChange } from "./pick.ts";

/** What the server's lenses carry. */
interface LensArgument {
  hunk?: string;
  uri?: string;
  session?: string;
  turn?: string;
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
    context.server,
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

/** What `vscode.changes` takes for a file: its uri, and the text before and after. */
type ChangeRow = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

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
  const found = await Promise.all(
    files(entry, turn).map(async ({ file, row }): Promise<ChangeRow[]> => {
      const answer = await context.server.requestQuietly<DiffResult>(method.diff, {
        session,
        relativePath: file.file.relativePath,
        scope,
      });
      const diff = "result" in answer ? answer.result : null;
      if (diff?.oldText == null || diff.newText === null) {
        return [];
      }
      // The side that a file has not is left out: VS Code draws the letter by it.
      return [
        [
          vscode.Uri.parse(file.uri),
          row.action === "created" ? undefined : vscode.Uri.parse(diff.oldUri),
          row.action === "deleted" ? undefined : vscode.Uri.parse(diff.newUri),
        ],
      ];
    }),
  );
  const rows = found.flat();
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
    ...orderedTurns(entry)
      .filter((turn) => turn.files > 0)
      .map((turn) => ({
        label: `    $(comment) ${t("Turn {0}", turn.number)}`,
        description: `${counts(turn.added, turn.removed)}  ${firstLine(turn.prompt)}`,
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
        : context.changes.focus(),
    ),
    on("openFile", async (node?: ViewNode, all?: ViewNode[]) => {
      const nodes = selected(node, all);
      for (const each of nodes) {
        await openFile(context, each, nodes.length === 1);
      }
    }),
    on("openDiff", async (node?: ViewNode, all?: ViewNode[]) => {
      const nodes = selected(node, all);
      for (const each of nodes) {
        const file = each.type === "hunk" ? each.parent : each.type === "file" ? each : null;
        if (file) {
          const turn = each.type === "hunk" ? each.hunk.turn : file.turn;
          await openDiff(
            context.server,
            file.session,
            file.file.file.relativePath,
            turn ? { kind: "turn", turn } : { kind: "session" },
            nodes.length === 1,
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
