/** How the rows of the changes view look: label, description, icon, tooltip, what is read aloud. */

import * as vscode from "vscode";
import { ACTION_COLOR, rowUri } from "../fileDecorations.ts";
import { t } from "../l10n.ts";
import { linesOf } from "../model/marks.ts";
import {
  accessible,
  actionWord,
  agentName,
  counts,
  firstLine,
  sessionTitle,
  sourceWord,
  stateWord,
  workWord,
} from "../model/text.ts";
import type { FileNode, FolderNode, NoticeNode, SessionNode, TurnNode } from "../model/tree.ts";
import type { Hunk, HunkKind, SessionInfo } from "../protocol.ts";

/** A hunk of a file row. */
export interface HunkNode {
  type: "hunk";
  key: string;
  parent: FileNode;
  hunk: Hunk;
  index: number;
  total: number;
}

function join(...words: (string | null | undefined)[]): string {
  return words.filter(Boolean).join("  ");
}

export function sessionItem(node: SessionNode): vscode.TreeItem {
  const { info } = node;
  const item = new vscode.TreeItem(agentName(info, t), vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.key;
  const changed = node.fileCount > 0 ? counts(info.added, info.removed) : null;
  item.description = join(workWord(info, t), changed, folderName(info), info.title);
  item.iconPath = sessionIcon(info);
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText(sessionTitle(info, t));
  const facts = [sourceWord(info.source, t), info.profile, info.agent?.version, info.workspaceRoot];
  tooltip.appendText(`\n${facts.filter(Boolean).join(", ")}`);
  if (info.error) {
    tooltip.appendText(`\n${info.error}`);
  }
  item.tooltip = tooltip;
  item.contextValue = `session ${info.source}`;
  item.accessibilityInformation = {
    label: [
      sessionTitle(info, t),
      sourceWord(info.source, t),
      workWord(info, t),
      t("{0} files", node.fileCount),
    ]
      .filter(Boolean)
      .join(", "),
  };
  return item;
}

/** Which folder a session works in, where the window has several. */
function folderName(info: SessionInfo): string | null {
  if (!info.workspaceRoot || (vscode.workspace.workspaceFolders?.length ?? 0) < 2) {
    return null;
  }
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(info.workspaceRoot))?.name ?? null;
}

function sessionIcon(info: SessionInfo): vscode.ThemeIcon {
  if (info.error) {
    return new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
  }
  if (info.state === "prompting") {
    return new vscode.ThemeIcon("sync~spin");
  }
  return new vscode.ThemeIcon({ host: "robot", tap: "broadcast", trace: "history" }[info.source]);
}

export function turnItem(node: TurnNode): vscode.TreeItem {
  const { turn } = node;
  const title = t("Turn {0}", turn.number);
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.key;
  const prompt = firstLine(turn.prompt);
  item.description = join(turn.files > 0 ? counts(turn.added, turn.removed) : null, prompt);
  item.tooltip = turn.prompt ?? title;
  item.iconPath = new vscode.ThemeIcon("comment");
  item.contextValue = turn.files > 0 ? "turn" : "silent";
  item.accessibilityInformation = {
    label: [title, t("{0} files", turn.files), prompt].filter(Boolean).join(", "),
  };
  return item;
}

export function folderItem(node: FolderNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.key;
  item.iconPath = vscode.ThemeIcon.Folder;
  item.tooltip = node.path;
  item.contextValue = "folder";
  return item;
}

export function noticeItem(node: NoticeNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.message);
  item.id = node.key;
  item.iconPath = new vscode.ThemeIcon("info");
  item.tooltip = node.message;
  item.contextValue = "notice";
  return item;
}

/** `inFolder` says that the row stands in its folder's row, which need not be named again. */
export function fileItem(node: FileNode, inFolder: boolean): vscode.TreeItem {
  const { file, row } = node;
  const path = file.file.relativePath;
  const slash = path.lastIndexOf("/");
  const deleted = row.action === "deleted";
  const item = new vscode.TreeItem(
    path.slice(slash + 1),
    deleted ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = node.key;
  // The icon is that of the file's type; letter and colour are a decoration of this uri.
  item.resourceUri = rowUri(path, row.action);
  item.iconPath = vscode.ThemeIcon.File;
  const folder = inFolder || slash < 0 ? null : path.slice(0, slash);
  item.description = join(counts(row.added, row.removed), folder);
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
  item.accessibilityInformation = { label: `${path}, ${accessible(row, node, t)}` };
  const click = vscode.workspace.getConfiguration("acpLens").get<string>("view.click", "file");
  const diff = click === "diff" || deleted;
  item.command = {
    title: diff ? t("Open Diff") : t("Open File"),
    command: diff ? "acpLens.openDiff" : "acpLens.openFile",
    arguments: [node],
  };
  return item;
}

const HUNK_ICON: Record<HunkKind, vscode.ThemeIcon> = {
  added: new vscode.ThemeIcon("diff-added", new vscode.ThemeColor(ACTION_COLOR.created)),
  modified: new vscode.ThemeIcon("diff-modified", new vscode.ThemeColor(ACTION_COLOR.modified)),
  deleted: new vscode.ThemeIcon("diff-removed", new vscode.ThemeColor(ACTION_COLOR.deleted)),
};

export function hunkItem(node: HunkNode): vscode.TreeItem {
  const { hunk } = node;
  const place = placeOf(hunk);
  const item = new vscode.TreeItem(place ?? t("nowhere"));
  item.id = node.key;
  item.iconPath = HUNK_ICON[hunk.kind];
  const state = stateWord(hunk.state, t);
  item.description = join(counts(hunk.added, hunk.removed), state, hunk.reason);
  item.tooltip = [item.label, state, hunk.reason].filter(Boolean).join("\n");
  item.contextValue = place ? "hunk" : "hunk deleted";
  item.accessibilityInformation = {
    label: [item.label, accessible({ ...hunk, action: null }, node, t), state, hunk.reason]
      .filter(Boolean)
      .join(", "),
  };
  item.command = {
    title: place ? t("Open File") : t("Open Diff"),
    command: place ? "acpLens.openFile" : "acpLens.openDiff",
    arguments: [node],
  };
  return item;
}

/** Where a hunk stands in the file, in words; `null` when it stands nowhere in it. */
function placeOf(hunk: Hunk): string | null {
  const lines = linesOf(hunk, Number.MAX_SAFE_INTEGER);
  if (lines) {
    return lines.first === lines.last
      ? t("line {0}", lines.first + 1)
      : t("lines {0}-{1}", lines.first + 1, lines.last + 1);
  }
  return hunk.wholeFile && hunk.kind !== "deleted" ? t("whole file") : null;
}
