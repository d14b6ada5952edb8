import { globSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Editor, type EditorOptions, makeUserFolder, removeUserFolder, startEditor } from './editor.ts';
import { makeProject, type Project, type Workflow } from './project.ts';
import { type EditorWindow, launchBrowser, openWindow, PATIENCE_MS, picture } from './window.ts';

/** The resources that the tests of one file share: a user, a browser, and everything that a test opens. */
export interface Scene {
  /** Creates a project that is removed after the test. */
  project(workflow: Workflow): Project;
  /** Returns the folder that contains the user's home. */
  readonly userFolder: () => string;
  readonly browser: () => Browser;
}

/** A scene with a server of VS Code. */
export interface EditorScene extends Scene {
  /** Opens a folder in a new window that is closed after the test. */
  window(folder: string): Promise<EditorWindow>;
  /** Returns the address of the server, including its token. */
  readonly address: () => string;
}

/** Returns the value that `beforeAll` has set. */
function started<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The scene was not set up.');
  return value;
}

/** Starts a browser for the tests of a file, and removes all their files and windows afterwards. */
export function useBrowser(): Scene {
  let browser: Browser | null = null;
  let folder: string | null = null;
  const projects: Project[] = [];
  beforeAll(async () => {
    folder = makeUserFolder();
    browser = await launchBrowser();
  });
  afterEach(() => {
    for (const project of projects.splice(0)) project.remove();
  });
  afterAll(async () => {
    await browser?.close();
    if (folder !== null) removeUserFolder(folder);
  });
  return {
    userFolder: () => started(folder),
    browser: () => started(browser),
    project: (workflow) => {
      const made = makeProject(started(folder), workflow);
      projects.push(made);
      return made;
    },
  };
}

/** Returns the path of the packaged extension. */
export function packaged(): string {
  const [vsix] = globSync('dist/robo-smith-extension-*.vsix');
  if (vsix === undefined) throw new Error('There is no package: npm run package');
  return path.resolve(vsix);
}

/** Starts VS Code's server and a browser for the tests of a file. */
export function useEditor(options: EditorOptions = {}): EditorScene {
  const scene = useBrowser();
  let editor: Editor | null = null;
  /** A profile that all windows share, so that the browser loads and compiles VS Code only once. */
  let profile: BrowserContext | null = null;
  const windows: EditorWindow[] = [];
  beforeAll(async () => {
    editor = await startEditor(packaged(), scene.userFolder(), options);
    profile = await scene.browser().newContext({ viewport: { width: 1280, height: 800 } });
  });
  afterEach(async ({ task }) => {
    for (const [index, window] of windows.splice(0).entries()) {
      if (task.result?.state === 'fail')
        await picture(window.page, `failed-${index}-${task.name.replaceAll(' ', '-')}`);
      await window.close();
    }
  });
  afterAll(() => editor?.stop());
  return {
    ...scene,
    address: () => started(editor).address,
    window: async (folder) => {
      const opened = await openWindow(started(profile), started(editor).address, folder);
      windows.push(opened);
      return opened;
    },
  };
}

/** A user's answers to the navigator's questions about a new session. */
export interface Wish {
  readonly title: string;
  /** The text for the first block; null: the title. */
  readonly task?: string | null;
  readonly node?: string;
  readonly mode?: 'Autonomous' | 'Step by step';
  readonly plan?: string;
  /** False if the project was trusted before, so that no question about trust appears. */
  readonly asks?: boolean;
}

/** Creates a session with the navigator, as a user would. */
export async function newWorkflow(window: EditorWindow, wish: Wish): Promise<void> {
  const { title, task = null, node = 'Feature', mode = 'Autonomous', plan = 'greet.mjs', asks = true } = wish;
  await window.status('RoboSmith:').click();
  await window.pick('New workflow');
  await window.step('1 of 5');
  await window.type(title);
  await window.step('2 of 5');
  // The title is the text for the first block unless the user enters another one.
  if (task === null) await window.page.keyboard.press('Enter');
  else await window.type(task);
  await window.step('3 of 5');
  await window.pick(node);
  await window.step('4 of 5');
  await window.pick(mode);
  await window.step('5 of 5');
  await window.type(plan);
  if (asks) await window.page.getByRole('button', { name: 'Trust and Run' }).click();
}

/** Opens a window and starts a session in it. */
export async function begin(scene: EditorScene, project: Project, wish: Wish): Promise<EditorWindow> {
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await newWorkflow(window, wish);
  return window;
}

/** Opens a window and starts a session whose run waits in the block `Test`. */
export async function beginHeld(scene: EditorScene, project: Project, title: string): Promise<EditorWindow> {
  project.hold();
  const window = await begin(scene, project, { title });
  await runningTab(await missionControl(window, title), title).waitFor();
  return window;
}

/** Returns the tab of a running session in the ticker. */
export const runningTab = (view: Frame | Page, title: string): Locator =>
  view.getByRole('tab', { name: new RegExp(`${title}\\s+Running`) });

export const MERGE = 'Accept and Merge Branch';

/** Returns the frame of Mission Control once it shows the given text. */
export const missionControl = (window: EditorWindow, text: string): Promise<Frame> => window.view('main', text);

/** Selects a block of a complete run, and waits until the chat shows this text of its answer. */
export async function readChat(window: EditorWindow, view: Frame, block: string, text: string): Promise<void> {
  await view.getByRole('button', { name: 'Show the graph' }).click();
  await window.command('Focus on RoboSmith Chat View');
  const chat = await window.view('main[aria-label="RoboSmith Chat"]');
  const card = view.locator('.card', { hasText: block });
  // The view may still be scrolling, so the click is repeated.
  await expect
    .poll(
      async () => {
        await card.click();
        return chat.locator('main').innerText();
      },
      { timeout: PATIENCE_MS },
    )
    .toContain(text);
}
