/** The view "Session": prompt, timeline, questions. Plain HTML that this file feeds by messages. */

import * as vscode from "vscode";
import { openDiff } from "../commands/open.ts";
import { t } from "../l10n.ts";
import type { Store } from "../model/store.ts";
import { sessionTitle, workWord } from "../model/text.ts";
import { filesOf, type Permissions } from "../permissions.ts";
import { method, type SessionInfo, type TimelineItem, type TimelineUpdate } from "../protocol.ts";
import type { Server } from "../server.ts";

/** What the page sends. */
type FromPage =
  | { type: "ready" }
  | { type: "prompt"; text: string }
  | { type: "cancel" }
  | { type: "start" }
  | { type: "load" }
  | { type: "choose" }
  | { type: "answer"; session: string; permission: string; optionId: string }
  | { type: "open"; uri: string; line: number | null }
  | { type: "diff"; uri: string; toolCall: string };

export class SessionView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #store: Store;
  readonly #server: Server;
  readonly #permissions: Permissions;
  #view: vscode.WebviewView | null = null;
  /** Whether the page has begun to listen; what is posted before that is lost. */
  #ready = false;
  #focusWanted = false;
  #session: string | null = null;
  #generation = -1;
  #items: TimelineItem[] = [];

  constructor(extensionUri: vscode.Uri, store: Store, server: Server, permissions: Permissions) {
    this.#extensionUri = extensionUri;
    this.#store = store;
    this.#server = server;
    this.#permissions = permissions;
  }

  /** The session that prompts go to. */
  get session(): string | null {
    return this.#session;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const media = vscode.Uri.joinPath(this.#extensionUri, "media");
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    view.webview.html = this.#html(view.webview, media);
    view.webview.onDidReceiveMessage((message: FromPage) => this.#receive(message));
    view.onDidDispose(() => {
      this.#view = null;
      this.#ready = false;
    });
  }

  /** Shows a session, and follows its timeline. */
  async show(session: string): Promise<void> {
    const before = this.#session;
    this.#session = session;
    this.#generation = -1;
    this.#items = [];
    if (before && before !== session) {
      void this.#server.requestQuietly(method.sessionSubscribe, {
        session: before,
        subscribe: false,
      });
    }
    this.#postState();
    const answer = await this.#server.requestQuietly<TimelineUpdate>(method.sessionSubscribe, {
      session,
      subscribe: true,
    });
    if (this.#session !== session) {
      return;
    }
    if ("result" in answer) {
      this.#generation = -1;
      this.timeline(answer.result);
    } else {
      this.#server.log.warn(`${method.sessionSubscribe}: ${answer.message}`);
    }
  }

  /** Opens the view and puts the cursor into the prompt. */
  async focus(): Promise<void> {
    this.#focusWanted = true;
    await vscode.commands.executeCommand("acpLens.session.focus");
    this.#postFocus();
  }

  #postFocus(): void {
    if (this.#focusWanted && this.#ready) {
      this.#focusWanted = false;
      void this.#view?.webview.postMessage({ type: "focus" });
    }
  }

  timeline(update: TimelineUpdate): void {
    if (update.session !== this.#session) {
      return;
    }
    const reset = update.generation !== this.#generation;
    if (reset) {
      this.#generation = update.generation;
      this.#items = [];
    }
    for (const item of update.items) {
      this.#items[item.index] = item;
    }
    void this.#view?.webview.postMessage({
      type: "items",
      reset,
      items: reset ? this.#items.filter(Boolean) : update.items,
    });
  }

  /** Tells the page what changed about sessions and questions. */
  update(): void {
    if (!this.#session || !this.#store.session(this.#session)) {
      const other = this.#newest();
      if (other) {
        void this.show(other);
        return;
      }
      this.#session = null;
    }
    this.#postState();
  }

  /** The session to show when none was chosen: one that takes prompts, else one that lives. */
  #newest(): string | null {
    for (const source of ["host", "tap", "trace"]) {
      const entry = this.#store.sessions.findLast(({ info }) => info.source === source);
      if (entry) {
        return entry.info.session;
      }
    }
    return null;
  }

  disconnected(): void {
    this.#session = null;
    this.#items = [];
    this.#generation = -1;
    this.#postState();
    void this.#view?.webview.postMessage({ type: "items", reset: true, items: [] });
  }

  #info(): SessionInfo | null {
    return (this.#session && this.#store.session(this.#session)?.info) || null;
  }

  #postState(): void {
    const info = this.#info();
    void vscode.commands.executeCommand(
      "setContext",
      "acpLens.prompting",
      info?.state === "prompting",
    );
    if (this.#view) {
      this.#view.description = info ? sessionTitle(info, t) : "";
    }
    void this.#view?.webview.postMessage({
      type: "state",
      session: info
        ? {
            title: sessionTitle(info, t),
            state: info.state,
            work: workWord(info, t),
            source: info.source,
            error: info.error,
          }
        : null,
      questions: this.#permissions.questions
        .filter((question) => question.session === this.#session)
        .map((question) => ({ ...question, paths: filesOf(question) })),
    });
  }

  async #receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        this.update();
        void this.#view?.webview.postMessage({
          type: "items",
          reset: true,
          items: this.#items.filter(Boolean),
        });
        this.#postFocus();
        break;
      case "prompt":
        await this.prompt(message.text);
        break;
      case "cancel":
        await vscode.commands.executeCommand("acpLens.cancel");
        break;
      case "start":
        await vscode.commands.executeCommand("acpLens.startSession");
        break;
      case "load":
        await vscode.commands.executeCommand("acpLens.loadSession");
        break;
      case "choose":
        await vscode.commands.executeCommand("acpLens.selectSession");
        break;
      case "answer":
        if (!this.#permissions.answer(message.session, message.permission, message.optionId)) {
          await this.#server.request(method.sessionRespondPermission, {
            session: message.session,
            permission: message.permission,
            outcome: "selected",
            optionId: message.optionId,
          });
        }
        break;
      case "open":
        await this.#open(vscode.Uri.parse(message.uri), message.line ?? 0);
        break;
      case "diff":
        await this.#diff(vscode.Uri.parse(message.uri), message.toolCall);
        break;
    }
  }

  async #open(uri: vscode.Uri, line: number): Promise<void> {
    const position = new vscode.Position(line, 0);
    try {
      await vscode.window.showTextDocument(uri, {
        selection: new vscode.Range(position, position),
      });
    } catch (error) {
      // A later change may have moved or deleted it; what VS Code says then names no remedy.
      this.#server.log.debug(`open: ${error instanceof Error ? error.message : error}`);
      const path = vscode.workspace.asRelativePath(uri);
      void vscode.window.showWarningMessage(
        t("{0} cannot be opened any more. Its diffs are in the view Changes.", path),
      );
    }
  }

  async #diff(uri: vscode.Uri, toolCall: string): Promise<void> {
    const file = this.#session ? this.#store.fileOf(uri.toString(), this.#session) : null;
    if (file) {
      const scope = { kind: "toolCall", toolCall } as const;
      await openDiff(this.#server, file.session, file.file.relativePath, scope);
    }
  }

  /** Sends a prompt to the session of the view. */
  async prompt(text: string): Promise<void> {
    if (!this.#session) {
      return;
    }
    const sent = await this.#server.request(method.sessionPrompt, {
      session: this.#session,
      text,
      files: [],
    });
    void this.#view?.webview.postMessage({ type: "sent", ok: sent !== null, text });
  }

  #html(webview: vscode.Webview, media: vscode.Uri): string {
    const nonce = crypto.randomUUID();
    const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name));
    const words = {
      start: t("Start a session"),
      load: t("Load an earlier session"),
      none: t("No session runs here."),
      send: t("Send"),
      cancel: t("Cancel"),
      prompt: t("Ask the agent to change something"),
      readOnly: t("This session belongs to another client; it can be watched, not prompted."),
      recorded: t("This is a recorded session."),
      thought: t("Thought"),
      plan: t("Plan"),
      output: t("Output"),
      answered: t("Answered: {0}", "{0}"),
      took: t("took {0}", "{0}"),
      timeline: t("Timeline"),
      pending: t("waiting"),
      running: t("running"),
      completed: t("done"),
      failed: t("failed"),
      you: t("You"),
      agent: t("Agent"),
      cancelled: t("cancelled"),
      questions: t("Questions of the agent"),
      open: t("Open {0}", "{0}"),
      diff: t("Show how {0} was deleted", "{0}"),
    };
    const policy = [
      "default-src 'none'",
      `style-src ${webview.cspSource}`,
      `script-src 'nonce-${nonce}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ].join("; ");
    const escaped = JSON.stringify(words).replaceAll("<", "\\u003c");
    return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${file("session.css")}">
<title>acp-lens</title>
</head>
<body>
<main>
<div id="empty" hidden></div>
<div id="timeline" role="log" aria-live="polite" tabindex="0"><ol id="items"></ol></div>
<div id="questions" role="region" aria-live="assertive"></div>
<form id="form" hidden>
<textarea id="prompt" rows="3"></textarea>
<div class="actions"><span id="state" role="status"></span>
<button type="button" id="cancel" class="secondary" hidden></button>
<button type="submit" id="send"></button></div>
</form>
<p id="note" hidden></p>
</main>
<script type="application/json" id="words" nonce="${nonce}">${escaped}</script>
<script nonce="${nonce}" src="${file("session.js")}"></script>
</body>
</html>`;
  }

  dispose(): void {
    this.#view = null;
  }
}
