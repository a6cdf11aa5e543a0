/** The item in the status bar: how many files, who works, who asks. */

import * as vscode from "vscode";
import { t } from "../l10n.ts";
import type { Store } from "../model/store.ts";
import { counts, sessionTitle } from "../model/text.ts";

export class Status implements vscode.Disposable {
  readonly #store: Store;
  readonly #item: vscode.StatusBarItem;
  #asking = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#item = vscode.window.createStatusBarItem(
      "acpLens.status",
      vscode.StatusBarAlignment.Left,
      10,
    );
    this.#item.name = t("Agent changes");
    this.#item.command = "acpLens.showChanges";
  }

  setAsking(count: number): void {
    this.#asking = count;
    this.update();
  }

  update(): void {
    const count = this.#store.changedUris().size;
    const working = this.#store.sessions.some((entry) => entry.info.state === "prompting");
    if (count === 0 && !working && this.#asking === 0) {
      this.#item.hide();
      return;
    }
    const icon = this.#asking > 0 ? "$(question)" : working ? "$(sync~spin)" : "$(robot)";
    const files = count === 1 ? t("Agent: 1 file") : t("Agent: {0} files", count);
    this.#item.text = `${icon} ${files}`;
    this.#item.backgroundColor =
      this.#asking > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.#item.command = this.#asking > 0 ? "acpLens.answerPermission" : "acpLens.showChanges";
    this.#item.tooltip = this.#tooltip();
    const asks = this.#asking > 0 ? t("an agent asks") : working ? t("working") : null;
    this.#item.accessibilityInformation = { label: [files, asks].filter(Boolean).join(", ") };
    this.#item.show();
  }

  #tooltip(): vscode.MarkdownString {
    const tooltip = new vscode.MarkdownString("", true);
    for (const entry of this.#store.sessions) {
      tooltip.appendMarkdown("$(robot) **");
      tooltip.appendText(sessionTitle(entry.info, t));
      tooltip.appendMarkdown("**\n\n");
      const files = [...entry.files.values()];
      for (const file of files.slice(0, 12)) {
        tooltip.appendMarkdown("- ");
        tooltip.appendText(`${file.file.relativePath}  ${counts(file.added, file.removed)}`);
        tooltip.appendMarkdown("\n");
      }
      if (files.length > 12) {
        tooltip.appendMarkdown("- ");
        tooltip.appendText(t("and {0} more", files.length - 12));
        tooltip.appendMarkdown("\n");
      }
      tooltip.appendMarkdown("\n");
    }
    return tooltip;
  }

  dispose(): void {
    this.#item.dispose();
  }
}
