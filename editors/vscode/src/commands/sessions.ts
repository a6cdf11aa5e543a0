/** Commands about sessions: start, load, choose, prompt, cancel, close, traces. */

import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { t } from "../l10n.ts";
import { sessionTitle, sourceWord, workWord } from "../model/text.ts";
import { type AgentInfo, method, type SessionInfo, type SessionListResult } from "../protocol.ts";
import type { ViewNode } from "../views/changes.ts";

/** The folder that a new session works in: that of the editor, or the one of the person's choice. */
async function workspaceRoot(): Promise<string | null> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    (folder) => folder.uri.scheme === "file",
  );
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active ? vscode.workspace.getWorkspaceFolder(active) : undefined;
  if (own) {
    return own.uri.fsPath;
  }
  if (folders.length === 0) {
    void vscode.window.showWarningMessage(t("Open a folder first: an agent works in one."));
    return null;
  }
  if (folders.length === 1) {
    return folders[0]?.uri.fsPath ?? null;
  }
  const picked = await vscode.window.showWorkspaceFolderPick();
  return picked?.uri.fsPath ?? null;
}

async function pickAgent(context: Context): Promise<string | null> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(
      t("An agent can be started once this workspace is trusted."),
    );
    return null;
  }
  const result = await context.server.request<{ agents: AgentInfo[] }>(method.agents, {});
  if (!result) {
    return null;
  }
  // The built-in agent plays a script in the demo's project, and nothing anywhere else.
  const agents = result.agents.filter((agent) => agent.origin !== "builtin");
  if (agents.length === 0) {
    void vscode.window.showWarningMessage(
      t(
        'No agent was found. Put one on your PATH, or name its command in the setting "acpLens.agents".',
      ),
    );
    return null;
  }
  if (agents.length === 1) {
    return agents[0]?.name ?? null;
  }
  const picked = await vscode.window.showQuickPick(
    agents.map((agent) => ({
      label: agent.name,
      description: agent.command.join(" "),
      name: agent.name,
    })),
    { title: t("Agent") },
  );
  return picked?.name ?? null;
}

async function opened(context: Context, info: SessionInfo): Promise<void> {
  context.store.applySession(info);
  await showSession(context, info.session);
}

async function start(context: Context): Promise<void> {
  const root = await workspaceRoot();
  const agent = root ? await pickAgent(context) : null;
  if (!root || !agent) {
    return;
  }
  const started = await context.server.request<{ session: SessionInfo }>(method.sessionNew, {
    agent,
    workspaceRoot: root,
    executionCwd: null,
  });
  if (started) {
    await opened(context, started.session);
  }
}

async function load(context: Context): Promise<void> {
  const root = await workspaceRoot();
  const agent = root ? await pickAgent(context) : null;
  if (!root || !agent) {
    return;
  }
  const list = await context.server.request<SessionListResult>(method.sessionList, {
    agent,
    executionCwd: root,
  });
  if (!list) {
    return;
  }
  let sessionId: string | undefined;
  if (!list.supported) {
    sessionId = await vscode.window.showInputBox({
      title: t("Session id"),
      prompt: t("{0} cannot list its sessions; name one.", agent),
    });
  } else if (list.sessions.length === 0) {
    void vscode.window.showInformationMessage(t("{0} has no earlier session here.", agent));
  } else {
    const picked = await vscode.window.showQuickPick(
      list.sessions.map((session) => ({
        label: session.title ?? session.sessionId,
        description: session.updatedAt ?? "",
        sessionId: session.sessionId,
      })),
      { title: t("Earlier sessions") },
    );
    sessionId = picked?.sessionId;
  }
  if (!sessionId) {
    return;
  }
  const started = await context.server.request<{ session: SessionInfo }>(method.sessionLoad, {
    agent,
    sessionId,
    workspaceRoot: root,
    executionCwd: null,
  });
  if (started) {
    await opened(context, started.session);
  }
}

async function showSession(context: Context, session: string): Promise<void> {
  await context.sessionView.show(session);
  await context.sessionView.focus();
}

async function select(context: Context): Promise<void> {
  const picked = await vscode.window.showQuickPick(
    context.store.sessions.map((entry) => ({
      label: sessionTitle(entry.info, t),
      description: [sourceWord(entry.info.source, t), workWord(entry.info, t)]
        .filter(Boolean)
        .join(", "),
      detail: t("{0} files", entry.files.size),
      session: entry.info.session,
    })),
    { title: t("Session") },
  );
  if (picked) {
    await showSession(context, picked.session);
  }
}

async function openTrace(context: Context, given?: vscode.Uri): Promise<void> {
  const uri =
    given ??
    (
      await vscode.window.showOpenDialog({
        title: t("A recorded session"),
        filters: { [t("Recorded sessions")]: ["ndjson", "jsonl", "jsons", "json"] },
      })
    )?.[0];
  if (!uri) {
    return;
  }
  const result = await vscode.window.withProgress(
    { location: { viewId: "acpLens.changes" }, title: t("Reading the session") },
    async () =>
      await context.server.request<{ sessions: SessionInfo[]; skippedLines: number }>(
        method.openTrace,
        { path: uri.fsPath, root: null, cwd: null, profile: "auto" },
      ),
  );
  if (!result) {
    return;
  }
  traces.set(
    uri.fsPath,
    result.sessions.map((info) => info.session),
  );
  if (result.skippedLines > 0) {
    void vscode.window.showInformationMessage(
      t("{0} lines could not be read.", result.skippedLines),
    );
  }
  await vscode.commands.executeCommand("acpLens.changes.focus");
}

/** Paths of open traces, with their sessions: a session's row is closed by the path of its trace. */
const traces = new Map<string, string[]>();

async function closeTrace(context: Context, node?: ViewNode): Promise<void> {
  if (node?.type !== "session") {
    return;
  }
  for (const [path, sessions] of traces) {
    if (sessions.includes(node.info.session)) {
      traces.delete(path);
      await context.server.request(method.closeTrace, { path });
      return;
    }
  }
  const setting = vscode.workspace.getConfiguration("acpLens").get<string | null>("trace");
  if (setting) {
    await context.server.request(method.closeTrace, { path: setting });
  }
}

async function prompt(context: Context): Promise<void> {
  if (context.sessionView.session) {
    await context.sessionView.focus();
  } else {
    await start(context);
  }
}

export function registerSessions(context: Context): vscode.Disposable[] {
  const on = (name: string, run: (...args: never[]) => unknown) =>
    vscode.commands.registerCommand(`acpLens.${name}`, run);
  return [
    on("startSession", () => start(context)),
    on("loadSession", () => load(context)),
    on("selectSession", () => select(context)),
    on("showSession", async (node?: ViewNode) => {
      if (node?.type === "session") {
        await showSession(context, node.info.session);
      }
    }),
    on("prompt", () => prompt(context)),
    on("openTrace", (uri?: vscode.Uri) => openTrace(context, uri)),
    on("closeTrace", (node?: ViewNode) => closeTrace(context, node)),
    on("cancel", async () => {
      const session = context.sessionView.session;
      if (session) {
        await context.server.request(method.sessionCancel, { session });
      }
    }),
    on("closeSession", async (node?: ViewNode) => {
      const session = node?.type === "session" ? node.info.session : context.sessionView.session;
      if (session) {
        await context.server.request(method.sessionClose, { session });
      }
    }),
    on("answerPermission", () => context.permissions.showOldest()),
  ];
}
