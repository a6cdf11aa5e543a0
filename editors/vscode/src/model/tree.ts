/** The rows of the changes view, as plain values: what stands under what. */

import type { FileInfo, FileTurn, SessionInfo, TurnInfo } from "../protocol.ts";
import { orderedTurns, type SessionEntry } from "./store.ts";

export interface SessionNode {
  type: "session";
  key: string;
  info: SessionInfo;
  fileCount: number;
}

export interface TurnNode {
  type: "turn";
  key: string;
  session: string;
  turn: TurnInfo;
}

export interface FolderNode {
  type: "folder";
  key: string;
  session: string;
  turn: string | null;
  path: string;
  name: string;
  children: (FolderNode | FileNode)[];
}

export interface FileNode {
  type: "file";
  key: string;
  session: string;
  /** The turn that the row is about; `null` for the whole session. */
  turn: string | null;
  file: FileInfo;
  row: { action: FileTurn["action"]; added: number | null; removed: number | null };
  index: number;
  total: number;
}

export interface NoticeNode {
  type: "notice";
  key: string;
  message: string;
}

export type Node = SessionNode | TurnNode | FolderNode | FileNode | NoticeNode;

export interface Filter {
  session: string | null;
  turn: string | null;
}

/** Sessions that the view shows. One without changes shows as well: it may be at work. */
export function roots(sessions: SessionEntry[], filter: Filter): SessionNode[] {
  return sessions
    .filter((entry) => !filter.session || entry.info.session === filter.session)
    .map((entry) => ({
      type: "session",
      key: entry.info.session,
      info: entry.info,
      fileCount: entry.files.size,
    }));
}

/** What stands under a session: its notices, and its turns, newest last. */
export function sessionChildren(entry: SessionEntry, filter: Filter): (TurnNode | NoticeNode)[] {
  const session = entry.info.session;
  const notices: NoticeNode[] = entry.info.notices.map((notice, index) => ({
    type: "notice",
    key: `${session}\0notice\0${index}`,
    message: notice.message,
  }));
  const turns: TurnNode[] = orderedTurns(entry)
    .filter((turn) => turn.files > 0 || turn.notices.length > 0)
    .filter((turn) => !filter.turn || turn.turn === filter.turn)
    .map((turn) => ({ type: "turn", key: `${session}\0${turn.turn}`, session, turn }));
  return [...notices, ...turns];
}

/** The files of a turn, or of the whole session, in the order in which it first changed them. */
export function files(entry: SessionEntry, turn: string | null): FileNode[] {
  const all = [...entry.files.values()];
  const found =
    turn === null
      ? all.map((file) => ({ file, part: file }))
      : all
          .flatMap((file) => {
            const part = file.turns.find((candidate) => candidate.turn === turn);
            return part ? [{ file, part }] : [];
          })
          .sort((a, b) => a.part.sequence - b.part.sequence);
  return found.map(({ file, part }, index) => ({
    type: "file",
    key: `${entry.info.session}\0${turn ?? ""}\0${file.file.relativePath}`,
    session: entry.info.session,
    turn,
    file,
    row: { action: part.action, added: part.added, removed: part.removed },
    index: index + 1,
    total: found.length,
  }));
}

/** What stands under a turn: its notices, then its files as a list or in folders. */
export function turnChildren(
  entry: SessionEntry,
  turn: TurnInfo,
  mode: "list" | "tree",
): (NoticeNode | FolderNode | FileNode)[] {
  const notices: NoticeNode[] = turn.notices.map((notice, index) => ({
    type: "notice",
    key: `${turn.session}\0${turn.turn}\0notice\0${index}`,
    message: notice.message,
  }));
  const found = files(entry, turn.turn);
  return [...notices, ...(mode === "tree" ? folders(found) : found)];
}

/** Files in their folders; a folder with one folder in it shares a row with it. */
export function folders(nodes: FileNode[]): (FolderNode | FileNode)[] {
  const first = nodes[0];
  if (!first) {
    return [];
  }
  const top: FolderNode = {
    type: "folder",
    key: "",
    session: first.session,
    turn: first.turn,
    path: "",
    name: "",
    children: [],
  };
  for (const node of nodes) {
    const names = node.file.file.relativePath.split("/");
    names.pop();
    let folder = top;
    for (const name of names) {
      const path = folder.path ? `${folder.path}/${name}` : name;
      let next = folder.children.find(
        (child): child is FolderNode => child.type === "folder" && child.path === path,
      );
      if (!next) {
        next = {
          type: "folder",
          key: `${node.session}\0${node.turn ?? ""}\0${path}/`,
          session: node.session,
          turn: node.turn,
          path,
          name,
          children: [],
        };
        folder.children.push(next);
      }
      folder = next;
    }
    folder.children.push(node);
  }
  return top.children.map(compact);
}

function compact(node: FolderNode | FileNode): FolderNode | FileNode {
  if (node.type === "file") {
    return node;
  }
  const only = node.children[0];
  if (node.children.length === 1 && only?.type === "folder") {
    return compact({ ...only, name: `${node.name}/${only.name}` });
  }
  return { ...node, children: node.children.map(compact) };
}
