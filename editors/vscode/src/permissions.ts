/**
 * Questions of agents. Each is shown as a notification with the agent's own options, and stands in
 * the session view as buttons; the first answer counts. Closing the notification answers nothing:
 * the question goes on waiting.
 */

import * as vscode from "vscode";
import { t } from "./l10n.ts";
import type { PermissionOutcome, PermissionQuestion } from "./protocol.ts";

/** The files that a question is about, as paths in the workspace where they are in it. */
export function filesOf(question: PermissionQuestion): string[] {
  return question.files.map((file) =>
    file.uri ? vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri)) : file.path,
  );
}

interface Waiting {
  question: PermissionQuestion;
  settle(outcome: PermissionOutcome): void;
}

export class Permissions implements vscode.Disposable {
  readonly #waiting = new Map<string, Waiting>();
  /** Questions whose notification is open. */
  readonly #notified = new Set<string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;

  get questions(): PermissionQuestion[] {
    return [...this.#waiting.values()].map((entry) => entry.question);
  }

  /** Asks the person, by a notification too; ends when somebody answered, or when the agent does not wait any more. */
  ask(question: PermissionQuestion, token: vscode.CancellationToken): Promise<PermissionOutcome> {
    const key = `${question.session}\0${question.permission}`;
    return new Promise((resolve) => {
      const settle = (outcome: PermissionOutcome) => {
        if (this.#waiting.delete(key)) {
          cancelled.dispose();
          this.#changed.fire();
          resolve(outcome);
          // A notification cannot be taken back, only put out of sight with its kind; without this
          // it would go on asking what has been answered elsewhere.
          if (this.#waiting.size === 0 && this.#notified.delete(key)) {
            void vscode.commands.executeCommand("notifications.hideToasts");
          }
        }
      };
      this.#waiting.set(key, { question, settle });
      this.#changed.fire();
      const cancelled = token.onCancellationRequested(() => settle({ outcome: "cancelled" }));
      void this.#notify(key, question);
    });
  }

  /** Takes an option; false when the question does not wait any more. */
  answer(session: string, permission: string, optionId: string): boolean {
    const entry = this.#waiting.get(`${session}\0${permission}`);
    entry?.settle({ outcome: "selected", optionId });
    return entry !== undefined;
  }

  /** Shows the oldest question again, for somebody who closed its notification. */
  async showOldest(): Promise<void> {
    const question = this.questions[0];
    if (!question) {
      void vscode.window.showInformationMessage(t("No agent asks for anything."));
      return;
    }
    const picked = await vscode.window.showQuickPick(
      question.options.map((option) => ({ label: option.name, option })),
      { title: question.title, placeHolder: question.detail ?? t("Choose an answer") },
    );
    if (picked) {
      this.answer(question.session, question.permission, picked.option.optionId);
    }
  }

  cancelAll(): void {
    for (const entry of [...this.#waiting.values()]) {
      entry.settle({ outcome: "cancelled" });
    }
  }

  async #notify(key: string, question: PermissionQuestion): Promise<void> {
    const files = filesOf(question).filter((path) => !question.title.includes(path));
    const some =
      files.length > 4 ? [...files.slice(0, 3), t("and {0} more", files.length - 3)] : files;
    const message = t(
      "The agent asks: {0}",
      some.length > 0 ? `${question.title} (${some.join(", ")})` : question.title,
    );
    const items = question.options.map((option) => ({ title: option.name, option }));
    this.#notified.add(key);
    const picked = await vscode.window.showInformationMessage(message, ...items);
    this.#notified.delete(key);
    if (picked && !this.answer(question.session, question.permission, picked.option.optionId)) {
      void vscode.window.showInformationMessage(t("This question does not wait any more."));
    }
  }

  dispose(): void {
    this.cancelAll();
    this.#changed.dispose();
  }
}
