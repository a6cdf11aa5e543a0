/** Marks in editors: gutter, overview ruler, and optionally the lines themselves. */

import * as vscode from "vscode";
import { hunkAt, type Lines, marksOf } from "./model/marks.ts";
import { type Hunk, type HunkKind, type HunksResult, method } from "./protocol.ts";
import type { Server } from "./server.ts";

const KINDS: HunkKind[] = ["added", "modified", "deleted"];

function decorationTypes(
  context: vscode.ExtensionContext,
): Record<HunkKind, vscode.TextEditorDecorationType> {
  const config = vscode.workspace.getConfiguration("acpLens");
  const gutter = config.get("marks.gutter", true);
  const ruler = config.get("marks.overviewRuler", true);
  const lines = config.get("marks.lines", false);
  const make = (kind: HunkKind) => {
    const icon = (theme: string) =>
      vscode.Uri.file(context.asAbsolutePath(`media/gutter/${kind}-${theme}.svg`));
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      ...(ruler
        ? {
            overviewRulerColor: new vscode.ThemeColor(`acpLens.${kind}Foreground`),
            // Git's own marks are on the left.
            overviewRulerLane: vscode.OverviewRulerLane.Center,
          }
        : {}),
      ...(lines
        ? {
            backgroundColor: new vscode.ThemeColor("acpLens.changedLineBackground"),
          }
        : {}),
      ...(gutter
        ? {
            gutterIconSize: "contain",
            light: { gutterIconPath: icon("light") },
            dark: { gutterIconPath: icon("dark") },
          }
        : {}),
    });
  };
  return { added: make("added"), modified: make("modified"), deleted: make("deleted") };
}

export class Marks implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #server: Server;
  /** Hunks by document uri, as VS Code writes it. */
  readonly #hunks = new Map<string, HunksResult>();
  #types: Record<HunkKind, vscode.TextEditorDecorationType>;
  #shown = true;
  readonly #disposables: vscode.Disposable[] = [];

  constructor(context: vscode.ExtensionContext, server: Server) {
    this.#context = context;
    this.#server = server;
    this.#types = decorationTypes(context);
    this.#disposables.push(
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) {
          // An editor that shows a document again has none of the marks that moved with its text.
          void this.#fresh(editor.document);
          this.#draw(editor);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#hunks.delete(document.uri.toString());
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("acpLens.marks")) {
          this.#retype();
        }
      }),
    );
  }

  /** Takes the hunks of a document. Between two of these, VS Code moves the marks itself. */
  set(result: HunksResult): void {
    const key = vscode.Uri.parse(result.uri).toString();
    this.#hunks.set(key, result);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === key) {
        this.#draw(editor);
      }
    }
  }

  clear(): void {
    this.#hunks.clear();
    for (const editor of vscode.window.visibleTextEditors) {
      this.#draw(editor);
    }
  }

  toggle(): void {
    this.#shown = !this.#shown;
    for (const editor of vscode.window.visibleTextEditors) {
      this.#draw(editor);
    }
  }

  hunks(uri: vscode.Uri): Hunk[] {
    return this.#hunks.get(uri.toString())?.hunks ?? [];
  }

  /** A hunk that the server gave out, wherever it stands. */
  byId(id: string): { hunk: Hunk; uri: string } | null {
    for (const result of this.#hunks.values()) {
      const hunk = result.hunks.find((candidate) => candidate.id === id);
      if (hunk) {
        return { hunk, uri: result.uri };
      }
    }
    return null;
  }

  /** The hunk at the cursor, asked afresh if the text moved since. */
  async atCursor(editor: vscode.TextEditor): Promise<Hunk | null> {
    await this.#fresh(editor.document);
    const hunks = this.hunks(editor.document.uri);
    return hunkAt(hunks, editor.selection.active.line, editor.document.lineCount);
  }

  /** Asks for the hunks of a document whose text moved since they were told. */
  async #fresh(document: vscode.TextDocument): Promise<void> {
    const known = this.#hunks.get(document.uri.toString());
    if (!known || known.version === document.version) {
      return;
    }
    const answer = await this.#server.requestQuietly<HunksResult>(method.hunks, {
      uri: document.uri.toString(),
      withText: false,
    });
    if ("result" in answer) {
      this.set(answer.result);
    }
  }

  #draw(editor: vscode.TextEditor): void {
    const result = this.#shown ? this.#hunks.get(editor.document.uri.toString()) : undefined;
    // Hunks of an older text would land on wrong lines; VS Code has moved the marks meanwhile.
    if (result && result.version !== null && result.version !== editor.document.version) {
      return;
    }
    const marks = marksOf(result?.hunks ?? [], editor.document.lineCount);
    for (const kind of KINDS) {
      editor.setDecorations(this.#types[kind], marks[kind].map(toRange));
    }
  }

  #retype(): void {
    for (const type of Object.values(this.#types)) {
      type.dispose();
    }
    this.#types = decorationTypes(this.#context);
    for (const editor of vscode.window.visibleTextEditors) {
      this.#draw(editor);
    }
  }

  dispose(): void {
    for (const type of Object.values(this.#types)) {
      type.dispose();
    }
    for (const disposable of this.#disposables) {
      disposable.dispose();
    }
  }
}

function toRange(lines: Lines): vscode.Range {
  return new vscode.Range(lines.first, 0, lines.last, 0);
}
