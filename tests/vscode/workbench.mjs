// Driving VS Code's workbench in a browser: opening, finding, waiting, taking pictures.
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const { chromium } = createRequire(path.join(process.env.NODE_PATH, "x.js"))("playwright-core");

/** How long anything may take. A machine that is busy with other things is slow, not wrong. */
const PATIENCE_MS = 20_000;
/** After so many failures the rest would only fail as well, slowly. */
const MAX_FAILURES = Number(process.env.TOUR_MAX_FAILURES ?? 5);

/** VS Code draws spaces as no-break spaces. */
const plain = (text) => (text ?? "").replaceAll("\u00a0", " ").replaceAll(/[\u200b-\u200d]/g, "");

/** The tour is given up. */
export class TooMany extends Error {}

export class Workbench {
  passed = 0;
  failed = 0;
  /** What the page wrote to its console. */
  console = [];

  constructor({ context, page, shots, profile }) {
    this.context = context;
    this.page = page;
    this.shots = shots;
    this.profile = profile;
  }

  static async launch(shots) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "acp-lens-chromium-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM,
      headless: true,
      viewport: { width: 1280, height: 800 },
      // Without fades a picture shows what is there.
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(PATIENCE_MS);
    const workbench = new Workbench({ context, page, shots, profile });
    page.on("console", (message) => workbench.console.push(message.text().slice(0, 300)));
    // A page that asks before it is left would wait for ever.
    page.on("dialog", (dialog) => dialog.accept().catch(() => undefined));
    return workbench;
  }

  /** Opens a folder in the page, in the place of the one before. */
  async open(url) {
    await this.page.goto(url);
    await this.page.locator(".monaco-workbench .part.activitybar").waitFor();
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor();
  }

  async close() {
    await this.context.close();
    fs.rmSync(this.profile, { recursive: true, force: true });
  }

  /** One step: it counts, has a picture, and the tour goes on after a failure. */
  async step(name, run) {
    const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    const number = String(this.passed + this.failed + 1).padStart(2, "0");
    const start = Date.now();
    try {
      await run();
      this.passed += 1;
      console.log(`ok - ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      await this.settled();
      await this.page.screenshot({ path: path.join(this.shots, `${number}-${slug}.png`) });
    } catch (error) {
      this.failed += 1;
      console.log(`not ok - ${name}\n    ${String(error.stack ?? error).replaceAll("\n", "\n    ")}`);
      await this.page
        .screenshot({ path: path.join(this.shots, `${number}-${slug}-failed.png`) })
        .catch(() => undefined);
      await this.page.keyboard.press("Escape").catch(() => undefined);
      if (this.failed >= MAX_FAILURES) {
        throw new TooMany();
      }
    }
  }

  /** Waits, for a picture, until nothing in the workbench has changed for a moment. */
  async settled() {
    const quiet = () =>
      this.page.evaluate(
        () =>
          new Promise((resolve) => {
            let timer = setTimeout(() => resolve(true), 300);
            const observer = new MutationObserver(() => {
              clearTimeout(timer);
              timer = setTimeout(() => resolve(true), 300);
            });
            observer.observe(document.body, { subtree: true, childList: true, attributes: true });
            setTimeout(() => resolve(true), 3000);
          }),
      );
    await quiet().catch(() => undefined);
  }

  /** Waits until `condition` gives something, and gives that. */
  async until(what, condition, ms = PATIENCE_MS) {
    const end = Date.now() + ms;
    let last;
    do {
      last = await condition();
      if (last) {
        return last;
      }
      await this.page.waitForTimeout(50);
    } while (Date.now() < end);
    throw new Error(`timed out waiting for ${what}; last value: ${JSON.stringify(last)}`);
  }

  /** Waits until `read` gives something that `check` accepts; says what it gave last if not. */
  async eventually(what, read, check) {
    let last;
    const holds = async () => {
      last = await read();
      return check(last);
    };
    await this.until(what, holds).catch(() => {
      throw new Error(`timed out waiting for ${what}; it was ${JSON.stringify(last)}`);
    });
    return last;
  }

  /** Changes a file of settings while the editor runs; `undefined` takes one away. */
  settings(file, change) {
    const settings = JSON.parse(fs.readFileSync(file, "utf8"));
    fs.writeFileSync(file, JSON.stringify({ ...settings, ...change }, null, 2));
  }

  // The palette and other pickers

  get picker() {
    return this.page.locator(".quick-input-widget:visible");
  }

  pickerRows(text) {
    return this.picker.locator(".quick-input-list .monaco-list-row", text ? { hasText: text } : {});
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.picker.locator("input.input").fill(`>${title}`);
    await this.picker
      .locator(".quick-input-list .monaco-list-row.focused", { hasText: title })
      .waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file by its path in the folder, as a person would. */
  async openFile(relative) {
    const name = path.basename(relative);
    await this.page.keyboard.press("Control+p");
    await this.picker.locator("input.input").fill(relative);
    await this.picker
      .locator(".quick-input-list .monaco-list-row.focused", { hasText: name })
      .waitFor();
    await this.page.keyboard.press("Enter");
    await this.eventually("the file's tab", () => this.activeTab(), (tab) => tab === name);
    await this.focusText();
  }

  // The editor

  /** Puts the focus into the text: VS Code draws fresh lenses only for a focused editor. */
  async focusText() {
    await this.page.locator(".editor-instance .view-line").last().click();
  }

  /** The lenses of an editor from top to bottom, each with the text of the line below it. */
  async lenses() {
    const found = await this.page.evaluate(() => {
      const top = (node) => node.getBoundingClientRect().top;
      const lines = [...document.querySelectorAll(".editor-instance .view-line")]
        .map((node) => ({ top: top(node), text: node.textContent }))
        .sort((a, b) => a.top - b.top);
      return [...document.querySelectorAll(".codelens-decoration")]
        .filter((node) => node.textContent)
        .map((node) => ({
          top: top(node),
          lens: node.textContent,
          line: lines.find((line) => line.top > top(node) + 2)?.text ?? null,
          live: node.querySelector("a") !== null,
        }))
        .sort((a, b) => a.top - b.top);
    });
    return found.map(({ lens, line, live }) => ({ lens: plain(lens), line: plain(line), live }));
  }

  /** The lines of the editor that have one of the extension's gutter marks, and which. */
  async gutter() {
    const found = await this.page.evaluate(() => {
      const top = (node) => node.getBoundingClientRect().top;
      const lines = [...document.querySelectorAll(".editor-instance .view-line")];
      return [...document.querySelectorAll(".editor-instance .glyph-margin-widgets .cgmr")]
        .map((node) => ({
          kind: /gutter(?:%2F|\/)(\w+)-/.exec(getComputedStyle(node).backgroundImage)?.[1] ?? null,
          line: lines.find((line) => Math.abs(top(line) - top(node)) < 6)?.textContent ?? null,
        }))
        .filter((mark) => mark.kind);
    });
    return found.map(({ kind, line }) => ({ kind, line: plain(line) }));
  }

  /** Clicks one of the commands of a lens. */
  async clickLens(title, n = 0) {
    await this.focusText();
    await this.page.locator(".codelens-decoration a", { hasText: title }).nth(n).click();
  }

  /** Where the cursor is: the active tab, and line and column from 1, as the status bar says. */
  async place() {
    const text = await this.page
      .locator("#status\\.editor\\.selection")
      .textContent({ timeout: 500 })
      .catch(() => "");
    const match = /Ln (\d+), Col (\d+)/.exec(text ?? "");
    return match ? `${await this.activeTab()}:${match[1]}:${match[2]}` : null;
  }

  /** The title of the active tab, without what a screen reader hears besides. */
  async activeTab() {
    const label = await this.page
      .locator(".editor-group-container.active .tab.active")
      .first()
      .getAttribute("aria-label", { timeout: 500 })
      .catch(() => "");
    return plain(label).replace(/(, (preview|readonly|pinned|Editor Group \d+))+$/, "");
  }

  /** The lines of the left and the right side of the diff editor. */
  async diffSides() {
    const side = async (name) =>
      (
        await this.page.locator(`.monaco-diff-editor .editor.${name} .view-line`).allTextContents()
      ).map(plain);
    return { before: await side("original"), after: await side("modified") };
  }

  // The side bar

  /** Shows a view container. A click on the one that is shown would hide it. */
  async sideBar(title) {
    const shown = this.page.locator(".part.sidebar .composite.title .title-label", {
      hasText: title,
    });
    if (!(await shown.isVisible())) {
      const item = this.page.locator(".activitybar .action-item", {
        has: this.page.locator(`a[aria-label^="${title}"]`),
      });
      await item.click({ position: { x: 8, y: 8 } });
      // Else its tooltip stands in the pictures.
      await this.page.mouse.move(900, 600);
    }
    await shown.waitFor();
  }

  /** Rows of the views in the side bar. */
  rows(text) {
    return this.page.locator(
      ".part.sidebar .pane-body .monaco-list-row",
      text === undefined ? {} : { hasText: text },
    );
  }

  /** What a screen reader says for every row that is shown. */
  async rowLabels() {
    return this.rows().evaluateAll((rows) =>
      rows
        .map((row) => ({ index: Number(row.dataset.index), label: row.getAttribute("aria-label") }))
        .sort((a, b) => a.index - b.index)
        .map((row) => row.label),
    );
  }

  /** Clicks one of the buttons that a row shows under the pointer. */
  async rowAction(row, title) {
    await row.hover();
    await row.locator(`.action-label[aria-label="${title}"]`).click();
  }

  /** Clicks a button in the title of a view; it is there while the pointer is over the view. */
  async viewAction(view, title) {
    const pane = this.page.locator(".part.sidebar .pane", {
      has: this.page.locator(`.pane-header[aria-label^="${view}"]`),
    });
    await pane.locator(".pane-header").hover();
    await pane.locator(`.pane-header .action-label[aria-label="${title}"]`).click();
  }

  // The rest

  /** The number on a container's icon. */
  async badge(title) {
    const item = this.page.locator(".activitybar .action-item", {
      has: this.page.locator(`a[aria-label^="${title}"]`),
    });
    const text = await item
      .locator(".badge-content")
      .textContent({ timeout: 500 })
      .catch(() => "");
    return Number(text || 0);
  }

  /** The status bar item of the extension. */
  get status() {
    return this.page.locator('.part.statusbar [id$="acpLens.status"]');
  }

  notification(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  /** The page of the session view. */
  get sessionPage() {
    return this.page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  }
}
