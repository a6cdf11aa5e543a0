// The same picture in every kind of theme, and the contrast of the extension's own colours in it.
import assert from "node:assert/strict";

/** Themes by their ids, and the files that the workbench names in its class. */
const THEMES = {
  "Light Modern": "light_modern",
  "Dark Modern": "dark_modern",
  "Default High Contrast": "hc_black",
  "Default High Contrast Light": "hc_light",
};

/** The contrast of two colours as WCAG counts it: 1 for the same, 21 for black on white. */
function contrast(a, b) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const rgb = (css) => {
  const hex = /^#(..)(..)(..)/.exec(css.trim());
  return hex
    ? hex.slice(1).map((part) => Number.parseInt(part, 16))
    : css.match(/[\d.]+/g).slice(0, 3).map(Number);
};

export async function themes(w, at, url) {
  await w.step("a recorded session shows its timeline", async () => {
    await w.open(url(at.recorded));
    await w.openFile("src/calc.py");
    await w.sideBar("Agent Changes");
    const header = w.page.locator(".part.sidebar .pane-header", { hasText: "Session" });
    if ((await header.getAttribute("aria-expanded")) === "false") {
      await header.click();
    }
    const view = w.sessionPage;
    await view.locator("#note", { hasText: "This is a recorded session." }).waitFor();
    await view.locator("#timeline .tool .files button", { hasText: "calc.py" }).first().waitFor();
    // Both views get room.
    const { x, y } = await header.boundingBox();
    await w.page.mouse.move(x + 100, y);
    await w.page.mouse.down();
    await w.page.mouse.move(x + 100, 420, { steps: 5 });
    await w.page.mouse.up();
    await w.page.mouse.move(900, 600);
  });

  for (const [theme, file] of Object.entries(THEMES)) {
    await w.step(`it can be read in ${theme}`, async () => {
      w.settings(at.recordedSettings, { "workbench.colorTheme": theme });
      const root = w.page.locator(".monaco-workbench");
      await w.eventually(
        "the theme",
        () => root.getAttribute("class"),
        (names) => names.includes(`-${file}-json`),
      );
      await w.sideBar("Agent Changes");
      await w.focusText();
      await w.until("lenses", async () => (await w.lenses()).some(({ lens }) => /^turn/.test(lens)));
      const colors = await root.evaluate((node) => {
        const style = getComputedStyle(node);
        const value = (name) => style.getPropertyValue(`--vscode-${name}`);
        return {
          backgrounds: [value("sideBar-background"), value("editor-background")],
          own: ["added", "modified", "deleted"].map((kind) => value(`acpLens-${kind}Foreground`)),
        };
      });
      for (const background of colors.backgrounds) {
        for (const own of colors.own) {
          const found = contrast(rgb(own), rgb(background));
          assert.ok(found >= 4.5, `${own} on ${background}: ${found.toFixed(2)}`);
        }
      }
    });
  }
  w.settings(at.recordedSettings, { "workbench.colorTheme": undefined });
}
