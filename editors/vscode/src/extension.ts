/** Where the extension begins: it makes the parts, and tells each what the server says. */

import * as vscode from "vscode";
import { registerChanges } from "./commands/changes.ts";
import { registerNative } from "./commands/native.ts";
import { registerSessions } from "./commands/sessions.ts";
import type { Context } from "./context.ts";
import { Documents, SCHEME } from "./documents.ts";
import { FileDecorations } from "./fileDecorations.ts";
import { Follow } from "./follow.ts";
import { t } from "./l10n.ts";
import { Marks } from "./marks.ts";
import { Store, type StoreChange } from "./model/store.ts";
import { agentName } from "./model/text.ts";
import { Permissions } from "./permissions.ts";
import type { SessionInfo } from "./protocol.ts";
import { Server } from "./server.ts";
import { ChangesView } from "./views/changes.ts";
import { SessionView } from "./views/session.ts";
import { Status } from "./views/status.ts";

export function activate(extension: vscode.ExtensionContext): void {
  const store = new Store((uri) => vscode.Uri.parse(uri).toString());
  const permissions = new Permissions();
  const status = new Status(store);
  const decorations = new FileDecorations(store);

  const changed = (change: StoreChange | null) => {
    if (!change) {
      return;
    }
    changes.refresh();
    status.update();
    sessionView.update();
    updateContext(store);
    for (const info of change.ended) {
      vscode.window.setStatusBarMessage(t("{0}: the turn ended", agentName(info, t)), 6000);
    }
    for (const info of change.failed) {
      void tellError(info, server);
    }
    decorations.refresh(change.reset ? undefined : change.uris);
    if (change.uris.length > 0 || change.reset) {
      documents.refresh();
    }
  };

  const follow = new Follow();
  const server = new Server(extension, {
    activity: (change) => changed(store.apply(change)),
    session: (info) => changed(store.applySession(info)),
    hunks: (result) => marks.set(result),
    timeline: (update) => sessionView.timeline(update),
    permission: (question, token) => permissions.ask(question, token),
    follow: (uri, range) => follow.show(uri, range),
    disconnected: () => {
      store.disconnect();
      marks.clear();
      permissions.cancelAll();
      sessionView.disconnected();
      changes.refresh();
      status.update();
    },
  });
  const documents = new Documents(server);
  const marks = new Marks(extension, server);
  const changes = new ChangesView(store, server);
  const sessionView = new SessionView(extension.extensionUri, store, server, permissions);
  const context: Context = { store, server, marks, changes, sessionView, permissions };

  permissions.onDidChange(() => {
    status.setAsking(permissions.questions.length);
    sessionView.update();
  });

  extension.subscriptions.push(
    server,
    permissions,
    status,
    decorations,
    documents,
    marks,
    changes,
    sessionView,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    vscode.window.registerFileDecorationProvider(decorations),
    vscode.window.registerWebviewViewProvider("acpLens.session", sessionView, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("acpLens.server")) {
        void server.restart();
      } else if (event.affectsConfiguration("acpLens")) {
        void server.pushSettings();
        if (event.affectsConfiguration("acpLens.view")) {
          changes.refresh();
        }
        if (event.affectsConfiguration("acpLens.decorations")) {
          decorations.refresh();
        }
      }
    }),
    vscode.window.onDidChangeActiveTextEditor(() => updateContext(store)),
    // Rows name the folder of a session where there are several.
    vscode.workspace.onDidChangeWorkspaceFolders(() => changes.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.pushSettings()),
    ...registerChanges(context),
    ...registerSessions(context),
    ...registerNative(context),
    ...registerGeneral(context),
  );

  // The server knows running taps, so it starts with the window, but after the window is there.
  setImmediate(() => void server.client());
}

/**
 * Whether an agent changed the file of the active editor. The keys of the jumps hang on it, so that
 * in all other files they are git's.
 */
function updateContext(store: Store): void {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const changed = uri !== undefined && store.fileOf(uri.toString()) !== null;
  void vscode.commands.executeCommand("setContext", "acpLens.editorChanged", changed);
}

/** Says once what is wrong with a session, for somebody who does not look at the view. */
async function tellError(info: SessionInfo, server: Server): Promise<void> {
  const log = t("Show Log");
  const message = `${agentName(info, t)}: ${info.error}`;
  if ((await vscode.window.showWarningMessage(message, log)) === log) {
    server.log.show();
  }
}

function registerGeneral(context: Context): vscode.Disposable[] {
  const set = (name: string, value: unknown) =>
    vscode.workspace
      .getConfiguration("acpLens")
      .update(name, value, vscode.ConfigurationTarget.Global);
  const on = (name: string, run: () => unknown) =>
    vscode.commands.registerCommand(`acpLens.${name}`, run);
  return [
    on("toggleMarks", () => context.marks.toggle()),
    on("follow", () => set("follow", true)),
    on("unfollow", () => set("follow", false)),
    on("viewAsTree", () => set("view.mode", "tree")),
    on("viewAsList", () => set("view.mode", "list")),
    on("restartServer", () => context.server.restart()),
    on("showLog", () => context.server.log.show()),
    on("showInfo", () =>
      vscode.window.showInformationMessage(
        context.server.running
          ? t(
              "acp-lens {0}, {1} sessions, {2}",
              context.server.version ?? "?",
              context.store.sessions.length,
              context.server.path ?? "?",
            )
          : t("The server does not run."),
      ),
    ),
  ];
}

export function deactivate(): void {
  // Everything is in the subscriptions.
}
