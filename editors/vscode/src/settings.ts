/** The settings as the server has them. */

import * as vscode from "vscode";

export function serverSettings(): Record<string, unknown> {
  const config = vscode.workspace.getConfiguration("acpLens");
  return {
    codeLens: config.get("codeLens"),
    diagnostics: "off",
    profile: config.get("profile"),
    follow: config.get("follow"),
    maxFileLines: config.get("maxFileLines"),
    maxFileBytes: config.get("maxFileBytes"),
    tap: { enabled: config.get("tap.enabled") },
    // No agent is started where the workspace is not trusted. What the workspace itself says about
    // agents and traces VS Code leaves out until then (`restrictedConfigurations`).
    agents: vscode.workspace.isTrusted ? config.get("agents") : {},
    agentTerminals: vscode.workspace.isTrusted && config.get("agentTerminals"),
    agentDeadlines: config.get("agentDeadlines"),
    trace: config.get<string | null>("trace") ?? null,
  };
}
