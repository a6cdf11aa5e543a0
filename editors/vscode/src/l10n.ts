/** The texts of the extension in the person's language. */

import * as vscode from "vscode";

export const t = vscode.l10n.t;
