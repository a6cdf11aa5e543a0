/** The editor protocol, as `docs/protocol.md` describes it. Names and shapes only. */
// Compared with the Rust types when their hash was 86ca649898a4b1aa.

export const PROTOCOL_VERSION = 1;

export const method = {
  agents: "acpLens/agents",
  attachments: "acpLens/attachments",
  changes: "acpLens/changes",
  closeTrace: "acpLens/closeTrace",
  diff: "acpLens/diff",
  didChangeActivity: "acpLens/didChangeActivity",
  didChangeHunks: "acpLens/didChangeHunks",
  didChangeSession: "acpLens/didChangeSession",
  didUpdateTimeline: "acpLens/didUpdateTimeline",
  goTo: "acpLens/goTo",
  hunks: "acpLens/hunks",
  openHandlers: "acpLens/openHandlers",
  openInBrowser: "acpLens/openInBrowser",
  openTrace: "acpLens/openTrace",
  openWith: "acpLens/openWith",
  requestPermission: "acpLens/requestPermission",
  reveal: "acpLens/reveal",
  sessionCancel: "acpLens/session/cancel",
  sessionClose: "acpLens/session/close",
  sessionList: "acpLens/session/list",
  sessionLoad: "acpLens/session/load",
  sessionNew: "acpLens/session/new",
  sessionPrompt: "acpLens/session/prompt",
  sessionRespondPermission: "acpLens/session/respondPermission",
  sessionSubscribe: "acpLens/session/subscribe",
  textDocumentContent: "acpLens/textDocumentContent",
} as const;

export type Action = "created" | "modified" | "deleted" | "moved";
export type Source = "host" | "tap" | "trace";
export type SessionState = "connecting" | "loading" | "idle" | "prompting" | "disconnected";
export type HunkKind = "added" | "modified" | "deleted";
export type HunkState =
  | "inPlace"
  | "moved"
  | "edited"
  | "replaced"
  | "reverted"
  | "ambiguous"
  | "notFound"
  | "deleted";

/** Lines and characters from 0, characters in UTF-16 units: VS Code negotiates nothing else. */
export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface FileRef {
  workspaceRoot: string;
  relativePath: string;
}

export interface Notice {
  kind: string;
  message: string;
  toolCall: string | null;
}

export interface SessionInfo {
  session: string;
  sessionId: string;
  source: Source;
  generation: number;
  state: SessionState;
  agent: { name: string; version: string | null } | null;
  title: string | null;
  profile: string;
  workspaceRoot: string | null;
  executionCwd: string | null;
  uniqueFileCount: number;
  turnCount: number;
  added: number | null;
  removed: number | null;
  stopReason: string | null;
  error: string | null;
  notices: Notice[];
}

export interface TurnInfo {
  session: string;
  turn: string;
  number: number;
  prompt: string | null;
  files: number;
  added: number | null;
  removed: number | null;
  notices: Notice[];
  durationMs: number | null;
}

export interface FileTurn {
  turn: string;
  number: number;
  sequence: number;
  action: Action;
  added: number | null;
  removed: number | null;
  toolCalls: { toolCall: string; toolName: string; action: Action }[];
}

export interface FileInfo {
  session: string;
  uri: string;
  file: FileRef;
  fromPath: string | null;
  action: Action;
  added: number | null;
  removed: number | null;
  doubt: string | null;
  turns: FileTurn[];
  hunks: Record<HunkState, number> | null;
}

export interface ActivityChange {
  revision: number;
  reset: boolean;
  sessions: SessionInfo[];
  closed: string[];
  turns: TurnInfo[];
  files: FileInfo[];
}

export interface Hunk {
  id: string;
  range: Range | null;
  kind: HunkKind;
  /** The hunk is the whole file, and has no range. */
  wholeFile: boolean;
  state: HunkState;
  session: string;
  agent: string | null;
  turn: string;
  turnNumber: number;
  toolCall: string;
  added: number | null;
  removed: number | null;
  candidates: Range[];
  replaces: string[];
  reason: string | null;
  oldText: string | null;
  newText: string | null;
}

export interface HunksResult {
  uri: string;
  version: number | null;
  revision: number;
  hunks: Hunk[];
  limit: string | null;
}

export type DiffScope =
  | { kind: "toolCall"; toolCall: string }
  | { kind: "turn"; turn: string }
  | { kind: "session" };

export interface DiffResult {
  revision: number;
  label: string;
  oldText: string | null;
  newText: string | null;
  oldUri: string;
  newUri: string;
  hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number }[];
  added: number | null;
  removed: number | null;
  net: boolean;
  reason: string | null;
}

export interface GoToResult {
  uri: string;
  version: number | null;
  range: Range;
  hunk: string | null;
  index: number;
  total: number;
  wrapped: boolean;
}

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: string;
}

export interface TouchedFile {
  uri: string | null;
  path: string;
  action: Action | null;
  added: number | null;
  removed: number | null;
  line: number | null;
}

export interface PermissionQuestion {
  session: string;
  generation: number;
  permission: string;
  toolCall: string;
  title: string;
  kind: string | null;
  files: TouchedFile[];
  detail: string | null;
  options: PermissionOption[];
}

export type PermissionOutcome =
  | { outcome: "selected"; optionId: string }
  | { outcome: "cancelled" };

interface ItemBase {
  index: number;
  id: string;
  turn: string | null;
}

export type TimelineItem =
  | (ItemBase & {
      type: "message";
      role: "user" | "agent";
      text: string;
      parts: string[];
      durationMs: number | null;
    })
  | (ItemBase & { type: "thought"; text: string })
  | (ItemBase & {
      type: "toolCall";
      toolCall: string;
      title: string;
      kind: string | null;
      status: "pending" | "running" | "completed" | "failed";
      files: TouchedFile[];
      text: string;
      permission: { outcome: PermissionOutcome | null; question: PermissionQuestion } | null;
    })
  | (ItemBase & {
      type: "plan";
      entries: { content: string; status: string; priority: string }[];
    });

export interface TimelineUpdate {
  session: string;
  generation: number;
  revision: number;
  length: number;
  items: TimelineItem[];
}

export interface AgentInfo {
  name: string;
  command: string[];
  origin: "settings" | "path" | "builtin";
}

export interface SessionListResult {
  supported: boolean;
  sessions: {
    sessionId: string;
    title: string | null;
    executionCwd: string;
    updatedAt: string | null;
  }[];
}

export interface OpenHandlers {
  handlers: { id: string; name: string; isDefault: boolean; icon: string | null }[];
  browser: boolean;
  revealLabel: string;
}
