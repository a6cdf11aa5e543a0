/** The running server: start, restart with growing pauses, requests, and what it says. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { findBinary } from "./binary.ts";
import { t } from "./l10n.ts";
import { Backoff } from "./model/backoff.ts";
import {
  type ActivityChange,
  type HunksResult,
  type PermissionOutcome,
  type PermissionQuestion,
  PROTOCOL_VERSION,
  type SessionInfo,
  type TimelineUpdate,
} from "./protocol.ts";
import { serverSettings } from "./settings.ts";

/** Who wants to know what the server says. */
export interface Listener {
  activity(change: ActivityChange): void;
  session(info: SessionInfo): void;
  hunks(result: HunksResult): void;
  timeline(update: TimelineUpdate): void;
  permission(
    question: PermissionQuestion,
    token: vscode.CancellationToken,
  ): Promise<PermissionOutcome>;
  /** Shows a document that an agent edits right now, while the person does something else. */
  follow(uri: vscode.Uri, range: vscode.Range | null): Promise<void>;
  disconnected(): void;
}

export type ServerState = "starting" | "running" | "stopped";

interface ServerExtension {
  version?: number;
  serverVersion?: string;
}

export class Server implements vscode.Disposable {
  readonly log: vscode.LogOutputChannel;
  readonly #context: vscode.ExtensionContext;
  readonly #listener: Listener;
  readonly #backoff = new Backoff();
  #client: LanguageClient | null = null;
  #starting: Promise<LanguageClient | null> | null = null;
  #restart: NodeJS.Timeout | null = null;
  #disposed = false;
  #version: string | null = null;
  #path: string | null = null;

  constructor(context: vscode.ExtensionContext, listener: Listener) {
    this.#context = context;
    this.#listener = listener;
    this.log = vscode.window.createOutputChannel("acp-lens", { log: true });
  }

  /** Version of the running server, for people. */
  get version(): string | null {
    return this.#version;
  }

  get path(): string | null {
    return this.#path;
  }

  get running(): boolean {
    return this.#client !== null;
  }

  /** The server, started if it does not run; `null` when it cannot be started. */
  async client(): Promise<LanguageClient | null> {
    if (this.#client) {
      return this.#client;
    }
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Asks the server; an error is shown to the person, and the answer is `null`. */
  async request<T>(name: string, params: object): Promise<T | null> {
    const client = await this.client();
    if (!client) {
      return null;
    }
    try {
      return await client.sendRequest<T>(name, params);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.log.warn(`${name}: ${message}`);
      void vscode.window.showWarningMessage(message);
      return null;
    }
  }

  /**
   * Asks the server if it runs or is about to; an error is the caller's to tell. For what views ask
   * by themselves: only a person's command tries once more to start a server that could not start.
   */
  async requestQuietly<T>(
    name: string,
    params: object,
  ): Promise<{ result: T } | { message: string }> {
    const client = this.#client ?? (await this.#starting);
    if (!client) {
      return { message: t("The server does not run.") };
    }
    try {
      return { result: await client.sendRequest<T>(name, params) };
    } catch (error) {
      return { message: error instanceof Error ? error.message : String(error) };
    }
  }

  async restart(): Promise<void> {
    this.#backoff.reset();
    // One that is about to run has the settings of before.
    await this.#starting;
    await this.#stop();
    await this.client();
  }

  async pushSettings(): Promise<void> {
    try {
      await this.#client?.sendNotification("workspace/didChangeConfiguration", {
        settings: { acpLens: serverSettings() },
      });
    } catch (error) {
      this.log.warn(`settings: ${error instanceof Error ? error.message : error}`);
    }
  }

  async #stop(): Promise<void> {
    if (this.#restart) {
      clearTimeout(this.#restart);
      this.#restart = null;
    }
    const client = this.#client;
    this.#client = null;
    if (client) {
      this.#listener.disconnected();
      await this.#end(client);
    }
  }

  /** Shuts a client down; the log says when its server does not answer in time. */
  async #end(client: LanguageClient): Promise<void> {
    try {
      await client.dispose(2000);
    } catch (error) {
      if (!this.#disposed) {
        this.log.debug(`shutdown: ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  async #start(): Promise<LanguageClient | null> {
    this.#state("starting");
    const binary = findBinary(this.#context);
    if ("problem" in binary) {
      this.#state("stopped");
      this.log.error(binary.problem);
      void this.#tell(binary.problem, t("Open Settings"), () =>
        vscode.commands.executeCommand("workbench.action.openSettings", "acpLens.server.path"),
      );
      return null;
    }
    this.#path = binary.path;
    const { createClient } = await import("./client.ts");
    const client = createClient({
      path: binary.path,
      settings: serverSettings(),
      log: this.log,
      listener: this.#listener,
      closed: () => this.#crashed(),
    });
    try {
      await client.start();
    } catch (error) {
      this.#state("stopped");
      this.log.error(error instanceof Error ? error : String(error));
      void this.#tell(t("The server {0} could not be started.", binary.path), t("Show Log"), () =>
        this.log.show(),
      );
      return null;
    }
    const extension = client.initializeResult?.capabilities.experimental as
      | { acpLens?: ServerExtension }
      | undefined;
    const version = extension?.acpLens?.version;
    if (version !== PROTOCOL_VERSION) {
      this.#state("stopped");
      void this.#tell(
        t(
          "{0} speaks protocol version {1}, this extension needs {2}. Update the older of the two.",
          binary.path,
          version ?? "-",
          PROTOCOL_VERSION,
        ),
        t("Open Settings"),
        () =>
          vscode.commands.executeCommand("workbench.action.openSettings", "acpLens.server.path"),
      );
      await this.#end(client);
      return null;
    }
    if (this.#disposed) {
      await this.#end(client);
      return null;
    }
    this.#version = extension?.acpLens?.serverVersion ?? null;
    this.log.info(`${binary.path} (${binary.origin}), version ${this.#version ?? "?"}`);
    this.#client = client;
    this.#state("running");
    return client;
  }

  #crashed(): void {
    const client = this.#client;
    this.#client = null;
    this.#listener.disconnected();
    if (this.#disposed || !client) {
      return;
    }
    void this.#end(client);
    const wait = this.#backoff.next(Date.now());
    if (wait === null) {
      this.#state("stopped");
      void this.#tell(t("The server ended too often and is not started again."), t("Restart"), () =>
        this.restart(),
      );
      return;
    }
    this.log.warn(`the server ended; it is started again in ${wait} ms`);
    this.#state("starting");
    this.#restart = setTimeout(() => {
      this.#restart = null;
      void this.client();
    }, wait);
  }

  #state(state: ServerState): void {
    void vscode.commands.executeCommand("setContext", "acpLens.server", state);
  }

  async #tell(message: string, action: string, run: () => unknown): Promise<void> {
    if ((await vscode.window.showErrorMessage(message, action)) === action) {
      await run();
    }
  }

  dispose(): void {
    this.#disposed = true;
    void this.#stop();
    this.log.dispose();
  }
}
