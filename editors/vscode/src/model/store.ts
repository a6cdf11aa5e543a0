/** What the server last said about sessions, turns and files. No drawing, no asking. */

import type { ActivityChange, FileInfo, SessionInfo, TurnInfo } from "../protocol.ts";

export interface SessionEntry {
  info: SessionInfo;
  /** Turns by id. */
  turns: Map<string, TurnInfo>;
  /** Files by relative path, in order of first activity. */
  files: Map<string, FileInfo>;
  /** The same files by uri, as the editor writes it. */
  byUri: Map<string, FileInfo>;
}

/** What a change of the store was about, so that views redraw only what they must. */
export interface StoreChange {
  /** Files may have gone: all that was drawn of them is to be drawn again. */
  reset: boolean;
  /** Sessions whose turn ended with this change. */
  ended: SessionInfo[];
  /** Sessions that have an error since this change. */
  failed: SessionInfo[];
  uris: string[];
}

export class Store {
  #revision = 0;
  #sessions = new Map<string, SessionEntry>();
  readonly #normal: (uri: string) => string;

  /** `normal` writes a uri of the server as the editor does, so that the two can be compared. */
  constructor(normal: (uri: string) => string = (uri) => uri) {
    this.#normal = normal;
  }

  get revision(): number {
    return this.#revision;
  }

  /** All sessions, in the order in which they became known. */
  get sessions(): SessionEntry[] {
    return [...this.#sessions.values()];
  }

  session(id: string): SessionEntry | undefined {
    return this.#sessions.get(id);
  }

  /** Takes an activity message; `null` when it is older than what is known. */
  apply(change: ActivityChange): StoreChange | null {
    const known = this.#sessions;
    if (change.reset) {
      this.#sessions = new Map();
    } else if (change.revision <= this.#revision) {
      return null;
    }
    this.#revision = change.revision;
    const news = change.sessions.map((info) => this.#setInfo(info, known.get(info.session)?.info));
    for (const session of change.closed) {
      this.#sessions.delete(session);
    }
    for (const turn of change.turns) {
      this.#sessions.get(turn.session)?.turns.set(turn.turn, turn);
    }
    const uris = new Set<string>();
    for (const given of change.files) {
      const file = { ...given, uri: this.#normal(given.uri) };
      const entry = this.#sessions.get(file.session);
      entry?.files.set(file.file.relativePath, file);
      entry?.byUri.set(file.uri, file);
      uris.add(file.uri);
    }
    return {
      reset: change.reset || change.closed.length > 0,
      ...said(news),
      uris: [...uris],
    };
  }

  /** Takes one session's new state. */
  applySession(info: SessionInfo): StoreChange {
    const news = this.#setInfo(info, this.#sessions.get(info.session)?.info);
    return { reset: false, ...said([news]), uris: [] };
  }

  /** The server is gone: what was listed may still be read, but no session is live any more. */
  disconnect(): void {
    for (const entry of this.#sessions.values()) {
      if (entry.info.source !== "trace") {
        entry.info = { ...entry.info, state: "disconnected" };
      }
    }
  }

  /** Files that agents changed, each once, whatever the number of sessions. */
  changedUris(): Set<string> {
    return new Set(this.sessions.flatMap((entry) => [...entry.byUri.keys()]));
  }

  /** What one session says about a file, or else the session that became known last. */
  fileOf(uri: string, session: string | null = null): FileInfo | null {
    const own = session ? this.#sessions.get(session)?.byUri.get(uri) : undefined;
    if (own) {
      return own;
    }
    const newest = this.sessions.findLast((entry) => entry.byUri.has(uri));
    return newest?.byUri.get(uri) ?? null;
  }

  /** `before` is what was known of the session, also over a reset. */
  #setInfo(info: SessionInfo, before: SessionInfo | undefined): News {
    const entry = this.#sessions.get(info.session);
    if (entry) {
      entry.info = info;
    } else {
      this.#sessions.set(info.session, {
        info,
        turns: new Map(),
        files: new Map(),
        byUri: new Map(),
      });
    }
    return {
      info,
      ended: before !== undefined && turnEnded(before, info),
      failed: info.error !== null && info.error !== before?.error,
    };
  }
}

interface News {
  info: SessionInfo;
  ended: boolean;
  failed: boolean;
}

function said(news: News[]): Pick<StoreChange, "ended" | "failed"> {
  return {
    ended: news.filter(({ ended }) => ended).map(({ info }) => info),
    failed: news.filter(({ failed }) => failed).map(({ info }) => info),
  };
}

/** A short turn can begin and end between two messages: then the number of turns tells. */
function turnEnded(before: SessionInfo, now: SessionInfo): boolean {
  return (
    (before.state === "prompting" && now.state !== "prompting") ||
    (now.state === "idle" && now.stopReason !== null && now.turnCount > before.turnCount)
  );
}

/** Turns in order. */
export function orderedTurns(entry: SessionEntry): TurnInfo[] {
  return [...entry.turns.values()].sort((a, b) => a.number - b.number);
}
