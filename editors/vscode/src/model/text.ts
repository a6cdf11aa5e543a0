/** Words and numbers as people read them. The caller gives the translation. */

import type { Action, HunkState, SessionInfo, Source } from "../protocol.ts";

/** `t`, so that nothing here needs the editor. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

/** `+3 -1`. A count that is not known is not zero. */
export function counts(added: number | null, removed: number | null): string {
  if (added === null && removed === null) {
    return "+? -?";
  }
  return `+${added ?? "?"} -${removed ?? "?"}`;
}

export const LETTER: Record<Action, string> = {
  created: "A",
  modified: "M",
  deleted: "D",
  moved: "R",
};

export function actionWord(action: Action, t: Translate): string {
  switch (action) {
    case "created":
      return t("created");
    case "modified":
      return t("modified");
    case "deleted":
      return t("deleted");
    case "moved":
      return t("moved");
  }
}

export function stateWord(state: HunkState, t: Translate): string | null {
  switch (state) {
    case "inPlace":
      return null;
    case "moved":
      return t("moved");
    case "edited":
      return t("edited since");
    case "replaced":
      return t("replaced by a later change");
    case "reverted":
      return t("reverted");
    case "ambiguous":
      return t("stands at several places");
    case "notFound":
      return t("not found");
    case "deleted":
      return t("deleted text");
  }
}

/** `modified, 3 added, 1 removed, 2 of 5`: what a screen reader says for a row. */
export function accessible(
  row: { action: Action | null; added: number | null; removed: number | null },
  position: { index: number; total: number } | null,
  t: Translate,
): string {
  const parts = row.action ? [actionWord(row.action, t)] : [];
  if (row.added === null && row.removed === null) {
    parts.push(t("lines not counted"));
  } else {
    parts.push(t("{0} added", row.added ?? "?"), t("{0} removed", row.removed ?? "?"));
  }
  if (position) {
    parts.push(t("{0} of {1}", position.index, position.total));
  }
  return parts.join(", ");
}

/** How a session is known. */
export function sourceWord(source: Source, t: Translate): string {
  switch (source) {
    case "host":
      return t("in this window");
    case "tap":
      return t("of another client");
    case "trace":
      return t("recorded");
  }
}

/** What a session is busy with; `null` for one that waits for a prompt. */
export function workWord(info: SessionInfo, t: Translate): string | null {
  switch (info.state) {
    case "idle":
      return null;
    case "prompting":
      return t("working");
    case "loading":
      return t("loading");
    case "connecting":
      return t("starting");
    case "disconnected":
      return t("disconnected");
  }
}

export function agentName(info: SessionInfo, t: Translate): string {
  return info.agent?.name ?? t("agent");
}

export function sessionTitle(info: SessionInfo, t: Translate): string {
  const agent = agentName(info, t);
  return info.title ? `${agent}: ${info.title}` : agent;
}

/** The first line of a prompt, short enough for a row. */
export function firstLine(prompt: string | null): string {
  const line = (prompt ?? "").split("\n", 1)[0] ?? "";
  const characters = [...line];
  return characters.length > 80 ? `${characters.slice(0, 79).join("")}…` : line;
}
