// Driving VS Code's workbench in a browser: opening, finding, waiting, taking pictures.
import { createRequire } from "node:module";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const { chromium } = createRequire(path.join(process.env.NODE_PATH, "x.js"))("playwright-core");

export class Workbench {
  constructor(context, page, shots, profile) {
    this.context = context;
    this.page = page;
    this.shots = shots;
    this.profile = profile;
    this.passed = 0;
    this.failed = 0;
  }

  static async open(url, shots) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "acp-lens-chromium-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM,
      headless: true,
      viewport: { width: 1280, height: 800 },
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
    page.setDefaultTimeout(60_000);
    const workbench = new Workbench(context, page, shots, profile);
    workbench.console = [];
    page.on("console", (message) => workbench.console.push(message.text().slice(0, 300)));
    await page.goto(url);
    await page.waitForSelector(".monaco-workbench .part.activitybar");
    return workbench;
  }

  async close() {
    await this.context.close();
    fs.rmSync(this.profile, { recursive: true, force: true });
  }

  shot(name) {
    return this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
  }

  /** One step of the tour: it counts, has a picture, and the tour goes on after a failure. */
  async step(name, run) {
    const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    const number = String(this.passed + this.failed + 1).padStart(2, "0");
    try {
      await run();
      this.passed += 1;
      console.log(`ok - ${name}`);
      await this.shot(`${number}-${slug}`);
    } catch (error) {
      this.failed += 1;
      console.log(`not ok - ${name}\n    ${String(error.stack ?? error).replaceAll("\n", "\n    ")}`);
      await this.shot(`${number}-${slug}-failed`).catch(() => undefined);
    }
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page
      .locator(".quick-input-list .monaco-list-row", { hasText: title })
      .first()
      .waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file by its name, as a person would. */
  async openFile(name) {
    await this.page.keyboard.press("Control+p");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: path.basename(name) }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
  }

  /** Puts the focus into the text: VS Code draws fresh lenses only for a focused editor. */
  async focusText() {
    await this.page.locator(".editor-instance .view-line").first().click();
  }

  /** Text of the lenses, from top to bottom. */
  async lenses() {
    const all = await this.page.locator(".codelens-decoration").evaluateAll((nodes) =>
      nodes
        .map((node) => ({ top: node.getBoundingClientRect().top, text: node.textContent }))
        .sort((a, b) => a.top - b.top)
        .map((each) => each.text.replaceAll("\u00a0", " ")),
    );
    return all;
  }

  /** For each lens the text of the line below it. */
  async linesBelowLenses() {
    return this.page.evaluate(() => {
      const rect = (node) => node.getBoundingClientRect();
      const lines = [...document.querySelectorAll(".editor-instance .view-line")].map((node) => ({
        top: rect(node).top,
        text: node.textContent.replaceAll("\u00a0", " "),
      }));
      return [...document.querySelectorAll(".codelens-decoration")]
        .filter((node) => node.textContent)
        .map((node) => {
          const below = lines
            .filter((line) => line.top > rect(node).top + 2)
            .sort((a, b) => a.top - b.top)[0];
          return { lens: node.textContent.replaceAll("\u00a0", " "), line: below?.text ?? null };
        });
    });
  }

  rows(text) {
    return this.page.locator(".pane-body .monaco-list-row", text ? { hasText: text } : {});
  }

  async until(what, condition, ms = 30_000) {
    const end = Date.now() + ms;
    let last;
    while (Date.now() < end) {
      last = await condition();
      if (last) {
        return last;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(`timed out waiting for ${what}; last value: ${JSON.stringify(last)}`);
  }

  /** The line and column that the status bar shows, from 1. */
  async cursor() {
    const text = await this.page.locator("#status\\.editor\\.selection").textContent();
    const match = /Ln (\d+), Col (\d+)/.exec(text ?? "");
    return match ? { line: Number(match[1]), column: Number(match[2]) } : null;
  }

  async activeTab() {
    return (await this.page.locator(".tab.active .label-name").first().textContent()) ?? "";
  }
}
