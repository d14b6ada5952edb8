import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { userEnvironment } from './editor.ts';
import { gatedWorkflow, haltingWorkflow, type Project, quickWorkflow } from './project.ts';
import { MERGE, runningTab, useBrowser } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useBrowser();
const PATIENCE = { timeout: PATIENCE_MS };

/** Starts `robosmith ui` and returns the address that it prints. */
async function serve({ folder }: Project): Promise<string> {
  const args = [path.resolve('bin', 'robosmith.js'), 'ui', '--no-open', '--trust', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: userEnvironment(scene.userFolder()),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGINT'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('}')) break;
  }
  return (JSON.parse(text) as { readonly address: string }).address;
}

interface Shown {
  readonly page: Page;
  readonly violations: string[];
}

async function show(address: string): Promise<Shown> {
  const context = await scene.browser().newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text());
  });
  await page.goto(address);
  return { page, violations };
}

test('the page needs the token, the right name and the own origin', async () => {
  const address = new URL(await serve(scene.project(quickWorkflow())));
  const status = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(url, { headers })).status;
  expect(await status(address.href)).toBe(200);
  expect(await status(address.origin)).toBe(403);
  expect(await status(`${address.origin}/?token=${'x'.repeat(32)}`)).toBe(403);
  expect(await status(`${address.origin}/../package.json`)).toBe(404);
  expect(await status(`${address.origin}/..%2fcli%2fmain.js`)).toBe(404);
  const policy = (await fetch(address)).headers.get('content-security-policy') ?? '';
  expect(policy).not.toContain('unsafe');
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w+/=]{24}'; style-src 'self';/);
});

/** Creates a session with the form, as a user would. */
async function create(page: Page, title: string, mode: 'Autonomous' | 'Step by step' = 'Autonomous'): Promise<void> {
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill(title);
  await page.getByRole('radio', { name: mode }).check();
  await page.getByRole('textbox', { name: /^Files/ }).fill('greet.mjs');
  await page.getByRole('button', { name: 'Create and run' }).click();
}

test('a run is started in the browser, halts, is answered, and merged; a second tab sees it all', async () => {
  const project = scene.project(haltingWorkflow());
  project.hold();
  const address = await serve(project);
  const { page, violations } = await show(address);
  await create(page, 'Greet by browser');
  await runningTab(page, 'Greet by browser').waitFor();
  await picture(page, 'browser-run');
  const second = await show(address);
  project.release();
  await page.getByText('Action required').first().waitFor();
  await second.page.getByText('Action required').first().waitFor();
  await picture(page, 'browser-halt');
  await page
    .getByRole('textbox', { name: 'What should the next attempt do differently?' })
    .fill('nme is a typing slip');
  await page.getByRole('button', { name: 'Ask for a change' }).first().click();
  await second.page.getByRole('option', { name: 'greet.mjs' }).click();
  await second.page.getByRole('dialog', { name: 'greet.mjs' }).getByText("(name) => 'Hello ' + name").waitFor();
  await picture(second.page, 'browser-difference');
  await second.page.keyboard.press('Escape');
  await second.page.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => project.git('log', '--format=%s', '-1').trim(), PATIENCE).toBe('Greet by browser');
  await page.getByText('Greet by browser is merged').waitFor();
  await picture(page, 'browser-merged');
  expect([...violations, ...second.violations]).toEqual([]);
});

test('a run goes step by step, and is gated, in the browser', async () => {
  const project = scene.project(gatedWorkflow());
  const { page } = await show(await serve(project));
  await create(page, 'Greet slowly', 'Step by step');
  for (const block of ['Write', 'Save']) {
    await page.getByText(`The run is in step mode: ${block} is next.`).first().waitFor();
    await page.getByRole('button', { name: 'Approve' }).first().click();
  }
  await page.getByText('Test is a gate and waits for your approval.').first().waitFor();
  await page.getByRole('option', { name: 'greet.mjs' }).click();
  await page.getByRole('dialog', { name: 'greet.mjs' }).getByText('+').first().waitFor();
  await picture(page, 'browser-gate');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve' }).first().click();
  await page.getByRole('button', { name: MERGE }).waitFor();
});

test('a session is held, resumed, discarded and restored in the browser', async () => {
  const project = scene.project(quickWorkflow());
  const { page } = await show(await serve(project));
  await create(page, 'Greet in vain');
  await page.getByRole('button', { name: 'Finish & Hold Branch' }).click();
  await page.getByRole('button', { name: 'Resume Session' }).click();
  await expect.poll(() => project.stateOf('Greet in vain'), PATIENCE).toBe('ready');
  await page.getByRole('button', { name: 'Reject and Discard Branch' }).click();
  await page.getByRole('button', { name: 'Discard branch', exact: true }).click();
  await expect.poll(() => project.stateOf('Greet in vain'), PATIENCE).toBe('discarded');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('Greet in vain is held').waitFor();
  expect(project.stateOf('Greet in vain')).toBe('held');
});

test('the race of two sessions, one of a terminal, is seen in the browser, also after it is loaded again', async () => {
  const project = scene.project(quickWorkflow());
  project.hold();
  const { page } = await show(await serve(project));
  await create(page, 'First of two');
  await runningTab(page, 'First of two').waitFor();
  project.robosmith('run', 'Feature', '--session', 'Second of two', '--plan', 'greet.mjs', '--detach');
  await page.getByRole('tab', { name: /Second of two.*Clash/ }).waitFor();
  await page.reload();
  await runningTab(page, 'First of two').waitFor();
  await page.getByRole('tab', { name: /Second of two.*Clash/ }).click();
  await page.getByText('Waits for First of two: both change greet.mjs.').waitFor();
  await picture(page, 'browser-race');
  project.release();
  await page.getByRole('tab', { name: 'First of two' }).click();
  await page.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => project.stateOf('Second of two'), PATIENCE).toBe('ready');
});

test('a browser whose host was killed says so, and the run goes on in the next one', async () => {
  const project = scene.project(quickWorkflow());
  project.hold();
  const { page } = await show(await serve(project));
  await create(page, 'Cut off');
  await runningTab(page, 'Cut off').waitFor();
  const host = project.hostPid();
  if (host === null) throw new Error('no host runs');
  process.kill(host, 'SIGKILL');
  await page.getByText('Interrupted').first().waitFor();
  await picture(page, 'browser-host-killed');
  project.release();
  await page.getByRole('button', { name: 'Resume', exact: false }).first().click();
  await page.getByRole('button', { name: MERGE }).waitFor();
});
