import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { addKey } from './keys.ts';
import { modelWorkflow } from './project.ts';
import { missionControl, newWorkflow, useEditor } from './scene.ts';
import { type EditorWindow, picture } from './window.ts';

const KEY = 'sk-test-commands-0099887766554433';

const scene = useEditor();
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly title: string }[] };
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Readonly<Record<string, string>>;
/** The title of each command as the palette shows it. */
const TITLES = new Map(
  contributes.commands.map(({ command, title }) => [command, `RoboSmith: ${texts[title.slice(1, -1)] ?? ''}`]),
);

const titled = async ({ page }: EditorWindow, title: string): Promise<void> => {
  await page.locator('.quick-input-widget .quick-input-title', { hasText: title }).waitFor();
  await page.keyboard.press('Escape');
};

const asked = async ({ page }: EditorWindow, placeholder: string): Promise<void> => {
  await page.locator(`.quick-input-widget input.input[placeholder^="${placeholder}"]`).waitFor();
  await page.keyboard.press('Escape');
};

/**
 * Waits for a notification in the list of notifications. In VS Code's smoke test mode, notifications do not appear by
 * themselves.
 */
async function notified(window: EditorWindow, text: string): Promise<void> {
  await window.command('Notifications: Show Notifications');
  await window.page.locator('.notifications-center .notification-list-item', { hasText: text }).first().waitFor();
  await window.command('Notifications: Clear All Notifications');
}

const inTerminal = async ({ page }: EditorWindow, text: string): Promise<void> => {
  await page.locator('.xterm-rows', { hasText: text }).first().waitFor();
};

/** Opens the request of a logged call and puts the cursor into it. */
async function openCall(window: EditorWindow): Promise<void> {
  await window.command(TITLES.get('roboSmith.calls') ?? '');
  await window.page.locator('.quick-input-widget .quick-input-title', { hasText: 'AI calls' }).waitFor();
  await window.pick('Talk__Ask');
  await window.page.locator('.view-lines', { hasText: 'Greet Ada.' }).first().waitFor();
}

const proposal = ({ page }: EditorWindow) => page.locator('.tab', { hasText: 'proposed change' });

/** Asks for a change of a file, and waits until it is proposed. */
async function askForChange(window: EditorWindow): Promise<void> {
  server.say('```js\nexport const greet = (who) => `Hello, ${who}`;\n```\n');
  await window.file('greet.mjs');
  await window.command(TITLES.get('roboSmith.quickFix') ?? '');
  await window.type('Use a template.');
  await proposal(window).waitFor();
}

type Effect = (window: EditorWindow) => Promise<unknown>;

/** A check per command that shows its effect in the test's project. The order is that of a user's session. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  'roboSmith.navigate': (window) => asked(window, 'Switch to a session'),
  'roboSmith.openMissionControl': (window) => missionControl(window, 'Talk'),
  'roboSmith.newWorkflow': (window) => titled(window, 'New workflow (1 of 5)'),
  'roboSmith.inbox': (window) => asked(window, 'What waits for you'),
  'roboSmith.notices': (window) => titled(window, 'Notifications of halts and ended runs'),
  'roboSmith.openTerminal': async (window) => {
    await window.pick('Ask me');
    await window.page.locator('.xterm-helper-textarea').first().waitFor({ state: 'attached' });
  },
  'roboSmith.blockChanges': (window) => notified(window, 'No block of Ask me has changed a file.'),
  'roboSmith.cleanupWorktrees': (window) => notified(window, 'There is nothing to clean up.'),
  'roboSmith.openInspector': (window) => window.view('main', 'Save recording'),
  'roboSmith.setUp': (window) => notified(window, 'The workflow is in .vision/workflows.json.'),
  'roboSmith.runNode': async (window) => {
    await window.pick('Talk');
    await titled(window, 'New workflow (1 of 4)');
  },
  'roboSmith.simulateNode': async (window) => {
    await window.pick('Talk');
    await inTerminal(window, 'Talk');
  },
  'roboSmith.showNode': async (window) => {
    await window.pick('Talk');
    await missionControl(window, 'Talk');
  },
  'roboSmith.keys': (window) => titled(window, 'API keys, in the order of their use'),
  'roboSmith.addKey': (window) => titled(window, 'Add a key'),
  'roboSmith.compareCalls': (window) => titled(window, 'Compare answers: pick two or more'),
  'roboSmith.calls': (window) => titled(window, 'AI calls'),
  'roboSmith.useWording': (window) =>
    notified(
      window,
      'Neither the contract nor the persona of this call was edited. Edit one of them in the request first.',
    ),
  'roboSmith.rerunCall': ({ page }) => page.locator('.tab.active', { hasText: '↔' }).waitFor(),
  'roboSmith.quickFix': (window) => titled(window, 'Quick Fix with RoboSmith'),
  'roboSmith.discardFix': (window) => proposal(window).waitFor({ state: 'detached' }),
  'roboSmith.applyFix': async (window) => {
    await proposal(window).waitFor({ state: 'detached' });
    await window.page.locator('.view-lines', { hasText: 'Hello, ${who}' }).first().waitFor();
  },
};

/** The commands of the work plan, which `plan.e2e.ts` tests. */
const OF_PLAN = [
  ...['addTask', 'addSubtask', 'setTaskStatus', 'removeTask', 'zoomIn', 'zoomOut'],
  ...['acceptPlan', 'restorePlan', 'refreshPlan', 'implementTask'],
].map((name) => `roboSmith.${name}`);

/** The commands that are offered only while the plan is zoomed, or was changed by another program. */
const IN_SOME_PLANS = ['roboSmith.zoomOut', 'roboSmith.acceptPlan', 'roboSmith.restorePlan'];

/** The commands that are offered neither here nor in a logged call. */
const ELSEWHERE = [...IN_SOME_PLANS, 'roboSmith.applyFix', 'roboSmith.discardFix'];

/** Actions that open what some of the commands need. */
const BEFORE: Readonly<Record<string, Effect>> = {
  'roboSmith.useWording': openCall,
  'roboSmith.rerunCall': openCall,
  'roboSmith.quickFix': (window) => window.file('greet.mjs'),
  'roboSmith.discardFix': askForChange,
  'roboSmith.applyFix': askForChange,
};

/** Returns the commands of RoboSmith that the palette offers, without those that VS Code generates for its views. */
async function offered({ page, palette }: EditorWindow): Promise<readonly string[]> {
  await palette('RoboSmith: ');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.first().waitFor();
  const found = new Set<string>();
  // The list draws only the rows that are visible, so it is read in pages.
  for (let turns = 0; turns < 4; turns += 1) {
    const labels = await Promise.all((await rows.all()).map((row) => row.getAttribute('aria-label')));
    for (const label of labels) found.add(label?.split(',')[0] ?? '');
    await page.keyboard.press('PageDown');
  }
  await page.keyboard.press('Escape');
  return [...found].filter((label) => /^RoboSmith: (?!Focus on)/.test(label)).sort();
}

test('every command is in the palette under its title, and does its work; menus follow their conditions', async () => {
  expect([...Object.keys(EFFECTS), ...OF_PLAN].sort()).toEqual([...TITLES.keys()].sort());
  server.say('I forgot the signal.');
  const project = scene.project(modelWorkflow(server.url('says')));
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith: greeter').waitFor();
  await addKey(window, { name: 'own', address: server.url('says'), secret: KEY });
  await newWorkflow(window, { title: 'Ask me', node: 'Talk' });
  await missionControl(window, 'Action required');

  const ofCalls = [TITLES.get('roboSmith.rerunCall'), TITLES.get('roboSmith.useWording')];
  const here = [...TITLES].flatMap(([command, title]) => (ELSEWHERE.includes(command) ? [] : [title])).sort();
  const others = here.filter((title) => !ofCalls.includes(title));
  expect(await offered(window)).toEqual(others);
  for (const [command, effect] of Object.entries(EFFECTS)) {
    await BEFORE[command]?.(window);
    await window.command(TITLES.get(command) ?? command);
    await effect(window).catch((thrown: unknown) => {
      throw new Error(`${command} has not done its work`, { cause: thrown });
    });
  }

  // If a logged call is open, two additional commands are available, in the palette and next to its tab.
  await openCall(window);
  const action = (title: string) => page.locator('.editor-actions').getByRole('button', { name: title }).first();
  await action('Send This AI Call Again and Compare').waitFor();
  await action('Use This Wording in the Manifest').waitFor();
  expect(await offered(window)).toEqual(here);
  await picture(page, 'commands-of-a-call');

  // The chat has two buttons in its title.
  await window.command('Focus on RoboSmith Chat View');
  const chat = page.locator('.pane-composite-part.panel');
  await chat.getByRole('button', { name: 'Open Mission Control' }).first().waitFor();
  await chat.getByRole('button', { name: 'Show Inbox' }).first().waitFor();

  // The command needs a selection in a file; a cursor is not enough.
  await window.file('greet.mjs');
  const quickFix = page.locator('.monaco-menu .action-label', { hasText: 'Quick Fix: Ask About the Selection' });
  const menu = async (): Promise<void> => {
    await page.keyboard.press('Shift+F10');
    await page.locator('.monaco-menu .action-label', { hasText: 'Command Palette' }).first().waitFor();
  };
  await menu();
  expect(await quickFix.count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+A');
  await menu();
  expect(await quickFix.count()).toBe(1);
  await picture(page, 'commands-of-a-selection');
});

test('a folder that is in no repository is told so once, and offers no command', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-plain-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, '.vision'));
  writeFileSync(path.join(folder, '.vision', 'workflows.json'), '{ "version": 1, "nodes": {} }\n');
  const window = await scene.window(folder);
  await window.command('Notifications: Show Notifications');
  const notice = window.page.locator('.notifications-center .notification-list-item', {
    hasText: 'RoboSmith requires the project to be a Git repository to function.',
  });
  await notice.waitFor();
  await picture(window.page, 'no-git');
  expect(await notice.count()).toBe(1);
  expect(await window.status('RoboSmith').count()).toBe(0);
  expect(await offered(window)).toEqual([]);
});
