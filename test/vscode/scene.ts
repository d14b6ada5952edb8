import { globSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Frame } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Editor, startEditor } from './editor.ts';
import { makeProject, type Project, type Workflow } from './project.ts';
import { type EditorWindow, launchBrowser, openWindow, picture } from './window.ts';

/** What the tests of one file share: a server, a browser, and what each test has opened. */
export interface Scene {
  /** Makes a project that is removed after the test. */
  project(workflow: Workflow): Project;
  /** Opens a folder in a window of its own that is closed after the test. */
  window(folder: string): Promise<EditorWindow>;
  readonly editorFolder: () => string;
  readonly address: () => string;
  readonly browser: () => Browser;
}

/** Starts an editor for the tests of a file, and leaves nothing of it behind. */
export function useEditor(): Scene {
  let editor: Editor | null = null;
  let browser: Browser | null = null;
  const windows: EditorWindow[] = [];
  const projects: Project[] = [];
  const started = (): Editor => {
    if (editor === null) throw new Error('The editor was not started.');
    return editor;
  };
  const launched = (): Browser => {
    if (browser === null) throw new Error('The browser was not started.');
    return browser;
  };
  beforeAll(async () => {
    const [vsix] = globSync('dist/robo-smith-extension-*.vsix');
    if (vsix === undefined) throw new Error('There is no package: npm run package');
    editor = await startEditor(path.resolve(vsix));
    browser = await launchBrowser();
  });
  afterEach(async ({ task }) => {
    for (const [index, window] of windows.entries()) {
      if (task.result?.state === 'fail')
        await picture(window.page, `failed-${index}-${task.name.replaceAll(' ', '-')}`);
      await window.close();
    }
    for (const project of projects) project.remove();
    windows.length = 0;
    projects.length = 0;
  });
  afterAll(async () => {
    await browser?.close();
    editor?.stop();
  });
  return {
    editorFolder: () => started().folder,
    address: () => started().address,
    browser: launched,
    project: (workflow) => {
      const made = makeProject(started().folder, workflow);
      projects.push(made);
      return made;
    },
    window: async (folder) => {
      const opened = await openWindow(launched(), started().address, folder);
      windows.push(opened);
      return opened;
    },
  };
}

/** What a person says to the navigator to begin a session. */
export interface Wish {
  readonly title: string;
  readonly mode?: 'Autonomous' | 'Step by step';
  readonly plan?: string;
  /** False: the project was trusted before. */
  readonly asks?: boolean;
}

/** Creates a session with the navigator, as a person does. */
export async function newWorkflow(window: EditorWindow, wish: Wish): Promise<void> {
  const { title, mode = 'Autonomous', plan = 'greet.mjs', asks = true } = wish;
  await window.status('RoboSmith:').click();
  await window.pick('New workflow');
  await window.type(title);
  await window.pick('Feature');
  await window.pick(mode);
  await window.type(plan);
  if (asks) await window.page.getByRole('button', { name: 'Trust and Run' }).click();
}

/** Opens a window, and begins a session in it. */
export async function begin(scene: Scene, project: Project, wish: Wish): Promise<EditorWindow> {
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await newWorkflow(window, wish);
  return window;
}

export const MERGE = 'Accept and Merge Branch';

/** Mission Control, as soon as it shows this text. */
export const missionControl = (window: EditorWindow, text: string): Promise<Frame> => window.view('main', text);
