/** Sessions, turns and files for the tests; each names what matters to it. */

import type { FileInfo, SessionInfo, TurnInfo } from "../../src/protocol.ts";

export function session(change: Partial<SessionInfo> = {}): SessionInfo {
  return {
    session: "s1",
    sessionId: "id",
    source: "trace",
    generation: 1,
    state: "idle",
    agent: { name: "claude", version: "1" },
    title: null,
    profile: "acp",
    workspaceRoot: "/w",
    executionCwd: "/w",
    uniqueFileCount: 0,
    turnCount: 0,
    added: 0,
    removed: 0,
    stopReason: null,
    error: null,
    notices: [],
    ...change,
  };
}

export function turn(number: number, change: Partial<TurnInfo> = {}): TurnInfo {
  return {
    session: "s1",
    turn: `t${number}`,
    number,
    prompt: null,
    files: 1,
    added: 1,
    removed: 0,
    notices: [],
    durationMs: null,
    ...change,
  };
}

export function file(path: string, turns: number[], change: Partial<FileInfo> = {}): FileInfo {
  return {
    session: "s1",
    uri: `file:///w/${path}`,
    file: { workspaceRoot: "/w", relativePath: path },
    fromPath: null,
    action: "modified",
    added: turns.length,
    removed: 0,
    doubt: null,
    turns: turns.map((number) => ({
      turn: `t${number}`,
      number,
      sequence: number,
      action: "modified",
      added: 1,
      removed: 0,
      toolCalls: [],
    })),
    hunks: null,
    ...change,
  };
}
