/** The view "Agent Changes": sessions, turns, files and hunks. */

import * as vscode from "vscode";
import { actionColor } from "../fileDecorations.ts";
import { t } from "../l10n.ts";
import { linesOf } from "../model/marks.ts";
import type { Store } from "../model/store.ts";
import {
  accessible,
  actionWord,
  counts,
  firstLine,
  LETTER,
  sessionTitle,
  stateWord,
} from "../model/text.ts";
import {
  type FileNode,
  type Filter,
  type Node,
  roots,
  sessionChildren,
  turnChildren,
} from "../model/tree.ts";
import { type Hunk, type HunksResult, method } from "../protocol.ts";
import type { Server } from "../server.ts";

/** A hunk of a file row. */
export interface HunkNode {
  type: "hunk";
  key: string;
  parent: FileNode;
  hunk: Hunk;
  index: number;
  total: number;
}

export type ViewNode = Node | HunkNode;

export class ChangesView implements vscode.TreeDataProvider<ViewNode>, vscode.Disposable {
  readonly #store: Store;
  readonly #server: Server;
  readonly #changed = new vscode.EventEmitter<ViewNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly tree: vscode.TreeView<ViewNode>;
  #filter: Filter = { session: null, turn: null };
  #refresh: NodeJS.Timeout | null = null;

  constructor(store: Store, server: Server) {
    this.#store = store;
    this.#server = server;
    this.tree = vscode.window.createTreeView<ViewNode>("acpLens.changes", {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
  }

  get filter(): Filter {
    return this.#filter;
  }

  setFilter(filter: Filter): void {
    this.#filter = filter;
    const filtered = filter.session !== null || filter.turn !== null;
    void vscode.commands.executeCommand("setContext", "acpLens.filtered", filtered);
    this.refresh();
  }

  /** Draws afresh, once for a burst of messages. */
  refresh(): void {
    if (this.#refresh) {
      return;
    }
    this.#refresh = setTimeout(() => {
      this.#refresh = null;
      this.#changed.fire(undefined);
      const count = this.#store.changedUris().size;
      this.tree.badge =
        count > 0
          ? {
              value: count,
              tooltip:
                count === 1
                  ? t("1 file changed by agents")
                  : t("{0} files changed by agents", count),
            }
          : undefined;
      // An empty message takes no room.
      this.tree.message = this.#message() ?? "";
    }, 50);
  }

  #message(): string | undefined {
    if (this.#filter.session === null && this.#filter.turn === null) {
      return undefined;
    }
    const entry = this.#filter.session ? this.#store.session(this.#filter.session) : undefined;
    const session = entry ? sessionTitle(entry.info, t) : "";
    const turn = this.#filter.turn ? entry?.turns.get(this.#filter.turn) : undefined;
    return turn ? t("Only turn {0} of {1}", turn.number, session) : t("Only {0}", session);
  }

  async getChildren(node?: ViewNode): Promise<ViewNode[]> {
    if (!node) {
      return roots(this.#store.sessions, this.#filter);
    }
    switch (node.type) {
      case "session": {
        const entry = this.#store.session(node.info.session);
        return entry ? sessionChildren(entry, this.#filter) : [];
      }
      case "turn": {
        const entry = this.#store.session(node.session);
        const mode = vscode.workspace
          .getConfiguration("acpLens")
          .get<"list" | "tree">("view.mode", "list");
        return entry ? turnChildren(entry, node.turn, mode) : [];
      }
      case "folder":
        return node.children;
      case "file":
        return this.#hunks(node);
      default:
        return [];
    }
  }

  async #hunks(node: FileNode): Promise<HunkNode[]> {
    const answer = await this.#server.requestQuietly<HunksResult>(method.hunks, {
      uri: node.file.uri,
      withText: false,
    });
    if (!("result" in answer)) {
      return [];
    }
    const hunks = answer.result.hunks.filter(
      (hunk) => hunk.session === node.session && (!node.turn || hunk.turn === node.turn),
    );
    return hunks.map((hunk, index) => ({
      type: "hunk",
      key: `${node.key}\0${hunk.id}`,
      parent: node,
      hunk,
      index: index + 1,
      total: hunks.length,
    }));
  }

  getTreeItem(node: ViewNode): vscode.TreeItem {
    switch (node.type) {
      case "session":
        return this.#sessionItem(node);
      case "turn":
        return turnItem(node);
      case "folder": {
        const item = new vscode.TreeItem(node.name, vscode.TreeItemCollapsibleState.Expanded);
        item.id = node.key;
        item.iconPath = vscode.ThemeIcon.Folder;
        item.contextValue = "folder";
        return item;
      }
      case "file":
        return fileItem(node);
      case "hunk":
        return hunkItem(node);
      case "notice": {
        const item = new vscode.TreeItem(node.message);
        item.id = node.key;
        item.iconPath = new vscode.ThemeIcon("info");
        item.tooltip = node.message;
        item.contextValue = "notice";
        return item;
      }
    }
  }

  #sessionItem(node: Extract<Node, { type: "session" }>): vscode.TreeItem {
    const { info } = node;
    const title = sessionTitle(info, t);
    const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
    item.id = node.key;
    const words = [stateText(info.state), counts(info.added, info.removed)].filter(Boolean);
    item.description = words.join("  ");
    item.iconPath = new vscode.ThemeIcon(
      info.error
        ? "error"
        : info.state === "prompting"
          ? "sync~spin"
          : info.source === "trace"
            ? "history"
            : "robot",
    );
    const tooltip = new vscode.MarkdownString();
    tooltip.appendText(`${title}\n`);
    tooltip.appendText(
      [info.source, info.profile, info.agent?.version, info.workspaceRoot]
        .filter(Boolean)
        .join(", "),
    );
    if (info.error) {
      tooltip.appendText(`\n${info.error}`);
    }
    item.tooltip = tooltip;
    item.contextValue = `session ${info.source}`;
    item.accessibilityInformation = {
      label: `${title}, ${t("{0} files", node.fileCount)}`,
    };
    return item;
  }

  /** Selects the row of a turn, when a lens asks for it. */
  async reveal(session: string, turn: string | null): Promise<void> {
    await vscode.commands.executeCommand("acpLens.changes.focus");
    const root = roots(this.#store.sessions, this.#filter).find((node) => node.key === session);
    if (!root) {
      return;
    }
    const entry = this.#store.session(session);
    const child =
      entry && turn
        ? sessionChildren(entry, this.#filter).find(
            (node) => node.type === "turn" && node.turn.turn === turn,
          )
        : undefined;
    try {
      await this.tree.reveal(child ?? root, { select: true, focus: true, expand: true });
    } catch {
      // The row went away between the look-up and the reveal; the view is open all the same.
    }
  }

  getParent(node: ViewNode): ViewNode | undefined {
    if (node.type === "turn") {
      return roots(this.#store.sessions, this.#filter).find((root) => root.key === node.session);
    }
    if (node.type === "hunk") {
      return node.parent;
    }
    return undefined;
  }

  dispose(): void {
    if (this.#refresh) {
      clearTimeout(this.#refresh);
    }
    this.#changed.dispose();
    this.tree.dispose();
  }
}

function stateText(state: string): string {
  switch (state) {
    case "prompting":
      return t("working");
    case "loading":
    case "connecting":
      return t("starting");
    case "disconnected":
      return t("disconnected");
    default:
      return "";
  }
}

function turnItem(node: Extract<Node, { type: "turn" }>): vscode.TreeItem {
  const { turn } = node;
  const item = new vscode.TreeItem(
    t("Turn {0}", turn.number),
    vscode.TreeItemCollapsibleState.Expanded,
  );
  item.id = node.key;
  const prompt = firstLine(turn.prompt);
  const numbers = turn.files > 0 ? counts(turn.added, turn.removed) : "";
  item.description = [numbers, prompt].filter(Boolean).join("  ");
  item.tooltip = turn.prompt ?? undefined;
  item.iconPath = new vscode.ThemeIcon("comment");
  item.contextValue = turn.files > 0 ? "turn" : "silent";
  item.accessibilityInformation = {
    label: `${t("Turn {0}", turn.number)}, ${t("{0} files", turn.files)}, ${prompt}`,
  };
  return item;
}

function fileItem(node: FileNode): vscode.TreeItem {
  const { file, row } = node;
  const path = file.file.relativePath;
  const slash = path.lastIndexOf("/");
  const item = new vscode.TreeItem(
    path.slice(slash + 1),
    row.action === "deleted"
      ? vscode.TreeItemCollapsibleState.None
      : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = node.key;
  const folder = slash > 0 ? path.slice(0, slash) : "";
  item.description = [`${LETTER[row.action]}  ${counts(row.added, row.removed)}`, folder]
    .filter(Boolean)
    .join("  ");
  item.iconPath = new vscode.ThemeIcon(
    {
      created: "diff-added",
      modified: "diff-modified",
      deleted: "diff-removed",
      moved: "diff-renamed",
    }[row.action],
    actionColor(row.action),
  );
  const tooltip = [path, actionWord(row.action, t)];
  if (file.fromPath) {
    tooltip.push(t("from {0}", file.fromPath));
  }
  if (file.doubt) {
    tooltip.push(t("doubtful: {0}", file.doubt));
  }
  item.tooltip = tooltip.join("\n");
  const html = /\.html?$/i.test(path) ? " html" : "";
  item.contextValue = `file${html} ${row.action}`;
  item.accessibilityInformation = {
    label: `${path}, ${accessible(row, node, t)}`,
  };
  const click = vscode.workspace.getConfiguration("acpLens").get<string>("view.click", "file");
  const diff = click === "diff" || row.action === "deleted";
  item.command = {
    title: diff ? t("Open Diff") : t("Open File"),
    command: diff ? "acpLens.openDiff" : "acpLens.openFile",
    arguments: [node],
  };
  return item;
}

function hunkItem(node: HunkNode): vscode.TreeItem {
  const { hunk } = node;
  const lines = linesOf(hunk, Number.MAX_SAFE_INTEGER);
  const place = lines
    ? lines.first === lines.last
      ? t("line {0}", lines.first + 1)
      : t("lines {0}-{1}", lines.first + 1, lines.last + 1)
    : t("nowhere");
  const item = new vscode.TreeItem(place);
  item.id = node.key;
  const state = stateWord(hunk.state, t);
  item.description = [counts(hunk.added, hunk.removed), state, hunk.reason]
    .filter(Boolean)
    .join("  ");
  item.contextValue = lines ? "hunk" : "hunk deleted";
  item.accessibilityInformation = {
    label: `${place}, ${accessible(
      { action: "modified", added: hunk.added, removed: hunk.removed },
      node,
      t,
    )}${state ? `, ${state}` : ""}`,
  };
  item.command = {
    title: t("Open File"),
    command: lines ? "acpLens.openFile" : "acpLens.openDiff",
    arguments: [node],
  };
  return item;
}
