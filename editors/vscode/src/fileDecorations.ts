/** The letter and colour of changed files in the Explorer and on tabs. */

import * as vscode from "vscode";
import { t } from "./l10n.ts";
import type { Store } from "./model/store.ts";
import { accessible, LETTER } from "./model/text.ts";

const COLOR = {
  created: "acpLens.addedForeground",
  modified: "acpLens.modifiedForeground",
  deleted: "acpLens.deletedForeground",
  moved: "acpLens.modifiedForeground",
} as const;

export function actionColor(action: keyof typeof COLOR): vscode.ThemeColor {
  return new vscode.ThemeColor(COLOR[action]);
}

export class FileDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #store: Store;
  readonly #changed = new vscode.EventEmitter<vscode.Uri[] | undefined>();
  readonly onDidChangeFileDecorations = this.#changed.event;

  constructor(store: Store) {
    this.#store = store;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (
      uri.scheme !== "file" ||
      !vscode.workspace.getConfiguration("acpLens").get("decorations", true)
    ) {
      return undefined;
    }
    const last = this.#store.fileOf(uri.toString());
    if (!last) {
      return undefined;
    }
    const decoration = new vscode.FileDecoration(
      LETTER[last.action],
      t("By an agent: {0}", accessible(last, null, t)),
      actionColor(last.action),
    );
    // Folders keep their own colour: git speaks there.
    decoration.propagate = false;
    return decoration;
  }

  /** Only these files, or all of them. */
  refresh(uris?: string[]): void {
    this.#changed.fire(uris?.map((uri) => vscode.Uri.parse(uri)));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
