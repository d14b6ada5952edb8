import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Frame, type Locator, type Page } from 'playwright-core';
import { installed } from './install.ts';

/** The interface that VS Code's smoke test driver adds to the page. */
interface Driven {
  readonly driver?: { readonly whenWorkbenchRestored: () => Promise<void> };
}

/**
 * The timeout in milliseconds for an element to appear. It is long because VS Code is slow on two busy cores. Set the
 * variable to a lower value to see failures earlier while writing tests.
 */
export const PATIENCE_MS = Number(process.env['ROBOSMITH_PATIENCE_MS'] ?? 120_000);
/** The pause (ms) between two polls of a page's frames. */
const PAUSE_MS = 100;

/** The folder for a screenshot of each scenario; undefined if none are saved. */
const PICTURES = process.env['ROBOSMITH_PICTURES'];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: installed().chromium,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** Saves a screenshot of a page if screenshots are enabled. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
}

/** A window of VS Code in a browser. */
export interface EditorWindow {
  readonly page: Page;
  /** Returns the status bar item that shows this text. It appears once the extension is active. */
  status(text: string): Locator;
  /** Waits for a step of a multi-step input, identified by its title. */
  step(title: string): Promise<void>;
  /** Chooses a row of the quick pick. */
  pick(text: string): Promise<void>;
  /** Types into the quick input and confirms it. */
  type(text: string): Promise<void>;
  command(title: string): Promise<void>;
  /** Opens the command palette and types into it. */
  palette(text: string): Promise<void>;
  /** Opens a file of the folder by its name. */
  file(name: string): Promise<void>;
  /** Moves the cursor of the active editor to a line and a column, both counted from 1. */
  goTo(line: number, column: number): Promise<void>;
  /** Returns the frame of the view that contains this element. */
  view(selector: string, text?: string): Promise<Frame>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

const restored = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => (globalThis as Driven).driver !== undefined, null, { timeout: PATIENCE_MS });
  await page.evaluate(() => (globalThis as Driven).driver?.whenWorkbenchRestored());
};

async function findFrame(page: Page, selector: string, text: string): Promise<Frame> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      const found = await frame
        .locator(selector, { hasText: text })
        .first()
        .isVisible()
        .catch(() => false);
      if (found) return frame;
    }
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`No view shows ${selector} with "${text}".`);
}

/**
 * Maximum number of times that a key is pressed until it opens the quick input. The next constant is the time (ms) to
 * wait for it.
 */
const PRESSES = 5;
const OPENS_MS = 5_000;
/** Time (ms) to wait for a row of the command palette before the palette is opened again. */
const PICK_MS = 15_000;

/**
 * Opens the quick input with a key. The key press is lost if the previous input is still closing, so it is repeated.
 */
async function openBox(page: Page, box: Locator, key: string): Promise<void> {
  await box.waitFor({ state: 'hidden' });
  for (let presses = 0; presses < PRESSES && !(await box.isVisible()); presses += 1) {
    await page.keyboard.press(key);
    await box.waitFor({ timeout: OPENS_MS }).catch(() => undefined);
  }
}

/** Opens a folder, or a workspace file, in a new window. */
export async function openWindow(profile: BrowserContext, address: string, folder: string): Promise<EditorWindow> {
  const page = await profile.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
  await page.goto(`${address}/?${kind}=${folder}`, { waitUntil: 'domcontentloaded' });
  await restored(page);
  const box = page.locator('.quick-input-widget .quick-input-box input.input');
  const status = (text: string): Locator => page.locator('.statusbar-item a.statusbar-item-label', { hasText: text });
  const palette = async (text: string): Promise<void> => {
    await openBox(page, box, 'F1');
    await box.fill(`>${text}`, { timeout: PICK_MS });
  };
  const row = (text: string): Locator => page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  const pick = async (text: string): Promise<void> => {
    await row(text).click();
  };
  return {
    page,
    pick,
    step: (title) => page.locator('.quick-input-widget .quick-input-title', { hasText: title }).waitFor(),
    status,
    type: async (text) => {
      await box.fill(text);
      await page.keyboard.press('Enter');
    },
    palette,
    command: async (title) => {
      // The attempt is repeated because the palette closes if a terminal or a view takes the focus late.
      for (let tries = 1; tries < PRESSES; tries += 1) {
        const isDone = await palette(title)
          .then(() => row(title).click({ timeout: PICK_MS }))
          .then(
            () => true,
            () => false,
          );
        if (isDone) return;
        await page.keyboard.press('Escape');
      }
      await palette(title);
      await pick(title);
    },
    file: async (name) => {
      await openBox(page, box, 'Control+P');
      await box.fill(name);
      await pick(name);
      await page.locator('.tab.active', { hasText: name }).waitFor();
    },
    goTo: async (line, column) => {
      await openBox(page, box, 'Control+G');
      await box.fill(`:${line}:${column}`);
      await page.keyboard.press('Enter');
      // Waits until the input has closed; otherwise it would receive the next key.
      await box.waitFor({ state: 'hidden' });
      await status(`Ln ${line}, Col ${column}`).waitFor();
    },
    view: (selector, text = '') => findFrame(page, selector, text),
    reload: async () => {
      await page.reload({ waitUntil: 'domcontentloaded' });
      await restored(page);
    },
    close: () => page.close(),
  };
}
