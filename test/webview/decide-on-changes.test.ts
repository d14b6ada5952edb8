import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { starterRegistry } from '#cli/starter/starter-files.ts';
import { responseOf } from '../e2e/cli/durable-documents.ts';
import { NODE, start, to } from '../e2e/cli/robosmith.ts';
import { type SessionProject, sessionProject } from '../e2e/cli/session-project.ts';
import { verifies } from '../e2e/verifies.ts';
import { CHROMIUM_FLAGS, findChromium } from './find-chromium.ts';

const executablePath = findChromium();
const HAS_VIEWS = existsSync(new URL('../../dist/webview/view.js', import.meta.url));
const CAN_SHOW = executablePath !== null && HAS_VIEWS;

const EDIT = "require('fs').appendFileSync('src/a.txt', 'again\\n')";

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Edit': { kind: 'command', command: [NODE, '-e', EDIT] } },
  nodes: {
    Main: {
      entry_block: 'Edit',
      blocks: {
        Edit: { worker: 'Worker:Edit', access: { mode: 'shared' }, on: { SUCCESS: 'JUMP:Approve' } },
        Approve: {
          worker: 'Internal:ManualIntervention',
          contract: 'Compare the lines.',
          transitions: [to('SUCCESS', 'RETURN'), to('REJECTED', 'JUMP:Edit')],
        },
      },
    },
  },
};

let browser: Browser;
let at: SessionProject;
let page: Page;
let started: ChildProcess[];

beforeAll(async () => {
  if (executablePath !== null) browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
});
afterAll(async () => {
  if (executablePath !== null) await browser.close();
});
beforeEach(async () => {
  started = [];
  at = await sessionProject(MANIFEST);
  at.write('.flow/flow.registry.json', starterRegistry());
  if (executablePath !== null) page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
});
afterEach(async () => {
  for (const child of started) child.kill('SIGINT');
  if (executablePath !== null) await page.close();
  await at.remove();
});

/** Returns a PATH that contains only these programs, so that no browser is opened. */
function pathWith(...programs: readonly string[]): string {
  const folder = path.join(at.folder, '..', 'programs');
  mkdirSync(folder, { recursive: true });
  for (const program of programs) {
    const folders = (process.env['PATH'] ?? '').split(path.delimiter);
    const found = folders.map((one) => path.join(one, program)).find((one) => existsSync(one));
    if (found === undefined) throw new Error(`there is no ${program}`);
    symlinkSync(found, path.join(folder, program));
  }
  return folder;
}

/** Starts a command that serves the views, on a machine without a browser, and returns the address that it prints. */
async function addressOf(programs: string, ...args: readonly string[]): Promise<string> {
  const child = start(args, at.folder, { PATH: programs });
  started.push(child);
  let [out, err] = ['', ''];
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
      const address = /http:\/\/127\.0\.0\.1:\S+/.exec(out)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`${args.join(' ')} ended: ${err}`)));
  });
}

async function picture(name: string): Promise<void> {
  const folder = process.env['ROBOSMITH_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/decide-${name}.png` });
}

/** Creates two sessions; the second one has a new file. */
async function twoSessions(): Promise<void> {
  await at.robosmith('sessions', 'new', 'First');
  await at.robosmith('sessions', 'new', 'Second');
  const { worktree } = await at.session('Second');
  if (worktree === null) throw new Error('it has no worktree');
  writeFileSync(path.join(worktree, 'only-in-second.ts'), 'export function fresh(): void {}\n');
}

test.skipIf(!CAN_SHOW)('sessions diff --web opens the page at that session, which lists its files', async () => {
  verifies('cli.sessions.diff');
  await twoSessions();
  await page.goto(await addressOf(pathWith('node', 'git'), 'sessions', 'diff', 'Second', '--web'));
  await page.getByRole('heading', { name: 'Second is complete' }).waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toContain('Second');
  const file = page.getByRole('option');
  expect(await file.count()).toBe(1);
  expect((await file.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/ added: only-in-second\.ts fresh \+1 −0$/);
  await picture('diff');
  await file.click();
  await page.getByRole('dialog', { name: 'only-in-second.ts' }).getByText('export function fresh').waitFor();
  await picture('diff-file');
});

test.skipIf(!CAN_SHOW)('a page whose host finds no git says so instead of loading for ever', async () => {
  await twoSessions();
  await at.robosmith('host', 'stop');
  await page.goto(await addressOf(pathWith('node'), 'sessions', 'diff', 'Second', '--web'));
  await page.getByText("The changes can't be read: git did not start").waitFor();
  await picture('no-git');
});

test.skipIf(!CAN_SHOW)('work is rejected on the page with a reason, which the block gets', async () => {
  verifies('engine.answer.reject');
  const ran = await at.robosmith('run', '--trust', '--session', 'Gated', '--json');
  expect(ran.code).toBe(3);
  const run = responseOf(ran.out).metadata.run_id ?? '';
  await page.goto(await addressOf(pathWith('node', 'git'), 'ui', '--no-open'));
  await page.getByText('Compare the lines.').first().waitFor();
  await page.getByRole('option', { name: /a\.txt/ }).waitFor();
  const reject = page.getByRole('button', { name: 'Ask for a change' });
  expect([await reject.isVisible(), await reject.getAttribute('title')]).toEqual([
    true,
    expect.stringContaining('First write what should change.'),
  ]);
  expect(await reject.getAttribute('aria-disabled')).toBe('true');
  await picture('gate');
  await page.getByLabel('What should change? Also goes along when you approve').fill('One line is not enough.');
  await reject.click();
  await page.getByText('step 3').waitFor();
  await page.getByRole('option', { name: /a\.txt.*\+2/ }).waitFor();
  await picture('rejected');
  const done = await at.robosmith('resume', run, '--halt', 'h2', '--proceed', '--json');
  const { data, path: steps } = responseOf(done.out);
  expect(steps.map(({ block, signal }) => `${block} ${String(signal)}`)).toEqual([
    'Main__Edit SIGNAL:SUCCESS',
    'Main__Approve SIGNAL:REJECTED',
    'Main__Edit SIGNAL:SUCCESS',
    'Main__Approve SIGNAL:SUCCESS',
  ]);
  expect(data.payload.filter(({ type }) => type === 'HUMAN_GUIDANCE')).toEqual([
    expect.objectContaining({ content: 'One line is not enough.', meta: { rejected: true } }),
  ]);
});
