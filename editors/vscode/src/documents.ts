/** `acp-lens:` documents: the sides of a diff, and other texts that only the server has. */

import * as vscode from "vscode";
import { method } from "./protocol.ts";
import type { Server } from "./server.ts";

export const SCHEME = "acp-lens";

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #server: Server;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(server: Server) {
    this.#server = server;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const answer = await this.#server.requestQuietly<{ text: string }>(
      method.textDocumentContent,
      // Encoded as the server gave it out: VS Code would escape `=` and `&` in the query.
      { uri: uri.toString(true) },
    );
    return "result" in answer ? answer.result.text : `${answer.message}\n`;
  }

  /** Reads the open documents again: their activity may have changed. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME) {
        this.#changed.fire(document.uri);
      }
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
