/** Shows what an agent edits, while "follow" is on, without getting in the way of the person. */

import * as vscode from "vscode";

export class Follow {
  /** The editor group that documents were last shown in. */
  #column: vscode.ViewColumn | null = null;

  /**
   * Shows a document and never takes the focus. Where it is in sight already, it is only scrolled;
   * else it comes beside the editor that the person is in, which stays what it is.
   */
  async show(uri: vscode.Uri, range: vscode.Range | null): Promise<void> {
    const own = vscode.window.activeTextEditor;
    const shown = vscode.window.visibleTextEditors.find(
      (editor) => editor.document.uri.toString() === uri.toString(),
    );
    if (shown && shown === own) {
      // Scrolling would take the place from under the person's eyes.
      return;
    }
    const editor =
      shown ??
      (await vscode.window.showTextDocument(uri, {
        preserveFocus: true,
        preview: true,
        viewColumn: this.#columnFor(own),
      }));
    if (!shown) {
      this.#column = editor.viewColumn ?? null;
    }
    if (range) {
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  #columnFor(own: vscode.TextEditor | undefined): vscode.ViewColumn {
    const groups = vscode.window.tabGroups.all;
    const last = groups.find((group) => group.viewColumn === this.#column);
    if (last && last.viewColumn !== own?.viewColumn) {
      return last.viewColumn;
    }
    return own ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  }
}
