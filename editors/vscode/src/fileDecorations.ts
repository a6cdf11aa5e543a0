/** The letter and colour of changed files in the Explorer and on tabs. */

import * as vscode from "vscode";
import { t } from "./l10n.ts";
import type { Store } from "./model/store.ts";
import { accessible, actionWord, LETTER } from "./model/text.ts";
import type { Action } from "./protocol.ts";

/** Theme colours by what happened to a file. */
export const ACTION_COLOR = {
  created: "acpLens.addedForeground",
  modified: "acpLens.modifiedForeground",
  deleted: "acpLens.deletedForeground",
  moved: "acpLens.modifiedForeground",
} as const satisfies Record<Action, string>;

/** Rows of the changes view have uris of their own: one file may be created in one turn and deleted in the next. */
const ROW_SCHEME = "acp-lens-row";

/** The uri of a file's row: its path, for the icon, and what happened to it. */
export function rowUri(relativePath: string, action: Action): vscode.Uri {
  return vscode.Uri.from({ scheme: ROW_SCHEME, path: `/${relativePath}`, query: action });
}

export class FileDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #store: Store;
  readonly #changed = new vscode.EventEmitter<vscode.Uri[] | undefined>();
  readonly onDidChangeFileDecorations = this.#changed.event;

  constructor(store: Store) {
    this.#store = store;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme === ROW_SCHEME) {
      const action = uri.query as Action;
      return decoration(action, actionWord(action, t));
    }
    const shown = vscode.workspace.getConfiguration("acpLens").get("decorations", true);
    const last = uri.scheme === "file" && shown ? this.#store.fileOf(uri.toString()) : null;
    return last
      ? decoration(last.action, t("By an agent: {0}", accessible(last, null, t)))
      : undefined;
  }

  /** Only these files, or all of them. */
  refresh(uris?: string[]): void {
    this.#changed.fire(uris?.map((uri) => vscode.Uri.parse(uri)));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Folders keep their own colour (`propagate` stays unset): git speaks there. */
function decoration(action: Action, tooltip: string): vscode.FileDecoration {
  return new vscode.FileDecoration(
    LETTER[action],
    tooltip,
    new vscode.ThemeColor(ACTION_COLOR[action]),
  );
}
