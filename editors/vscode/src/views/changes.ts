/** The view "Agent Changes": sessions, turns, files and hunks. */

import * as vscode from "vscode";
import { t } from "../l10n.ts";
import type { Store } from "../model/store.ts";
import { sessionTitle } from "../model/text.ts";
import {
  type FileNode,
  type Filter,
  type Node,
  roots,
  sessionChildren,
  turnChildren,
} from "../model/tree.ts";
import { type HunksResult, method } from "../protocol.ts";
import type { Server } from "../server.ts";
import {
  fileItem,
  folderItem,
  type HunkNode,
  hunkItem,
  noticeItem,
  sessionItem,
  turnItem,
} from "./rows.ts";

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
      if (this.#filter.session && !this.#store.session(this.#filter.session)) {
        this.setFilter({ session: null, turn: null });
      }
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
      this.tree.message = this.#message();
    }, 50);
  }

  /** What the filter leaves; empty, and without any room, when nothing is filtered. */
  #message(): string {
    const entry = this.#filter.session ? this.#store.session(this.#filter.session) : undefined;
    if (!entry) {
      return "";
    }
    const session = sessionTitle(entry.info, t);
    const turn = this.#filter.turn ? entry.turns.get(this.#filter.turn) : undefined;
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
        return entry ? turnChildren(entry, node.turn, mode()) : [];
      }
      case "folder":
        return node.children;
      case "file":
        return this.#hunks(node);
      default:
        return [];
    }
  }

  /** The hunks of a file, or the reason why they are not known. */
  async #hunks(node: FileNode): Promise<ViewNode[]> {
    const answer = await this.#server.requestQuietly<HunksResult>(method.hunks, {
      uri: node.file.uri,
      withText: false,
    });
    if (!("result" in answer)) {
      return [{ type: "notice", key: `${node.key}\0notice`, message: answer.message }];
    }
    const { limit } = answer.result;
    const notices: ViewNode[] = limit
      ? [{ type: "notice", key: `${node.key}\0limit`, message: limit }]
      : [];
    const hunks = answer.result.hunks.filter(
      (hunk) => hunk.session === node.session && (!node.turn || hunk.turn === node.turn),
    );
    const rows = hunks.map(
      (hunk, index): HunkNode => ({
        type: "hunk",
        key: `${node.key}\0${hunk.id}`,
        parent: node,
        hunk,
        index: index + 1,
        total: hunks.length,
      }),
    );
    return [...notices, ...rows];
  }

  getTreeItem(node: ViewNode): vscode.TreeItem {
    switch (node.type) {
      case "session":
        return sessionItem(node);
      case "turn":
        return turnItem(node);
      case "folder":
        return folderItem(node);
      case "file":
        return fileItem(node, mode() === "tree");
      case "hunk":
        return hunkItem(node);
      case "notice":
        return noticeItem(node);
    }
  }

  /** Puts the focus into the view: on the row that had it, or else on the first. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand("acpLens.changes.focus");
    const [first] = roots(this.#store.sessions, this.#filter);
    if (first && this.tree.selection.length === 0) {
      await this.#reveal(first, false);
    }
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
    await this.#reveal(child ?? root, true);
  }

  async #reveal(node: ViewNode, select: boolean): Promise<void> {
    try {
      await this.tree.reveal(node, { select, focus: true, expand: true });
    } catch (error) {
      // The row went away between the look-up and the reveal; the view is open all the same.
      this.#server.log.debug(`reveal: ${error instanceof Error ? error.message : error}`);
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

function mode(): "list" | "tree" {
  return vscode.workspace.getConfiguration("acpLens").get("view.mode", "list");
}
