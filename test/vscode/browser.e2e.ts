import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { userEnvironment } from './editor.ts';
import { haltingWorkflow, type Project, quickWorkflow } from './project.ts';
import { MERGE, useEditor } from './scene.ts';
import { picture } from './window.ts';

const scene = useEditor();

/** Starts `robosmith ui`; gives the address that it prints. */
async function serve({ folder }: Project): Promise<string> {
  const args = [path.resolve('bin', 'robosmith.js'), 'ui', '--no-open', '--trust', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: userEnvironment(scene.editorFolder()),
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
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text());
  });
  await page.goto(address);
  return { page, violations };
}

test('the page needs the token, the right name and the own origin', async () => {
  const address = new URL(await serve(scene.project(quickWorkflow({ writeMs: 300 }))));
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

test('a run is started in the browser, halts, is answered, and merged; a second tab sees it all', async () => {
  const project = scene.project(haltingWorkflow({ writeMs: 1_500 }));
  const address = await serve(project);
  const { page, violations } = await show(address);
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).first().fill('Greet by browser');
  await picture(page, 'browser-new');
  await page.getByRole('button', { name: 'Create and run' }).first().click();
  await page.getByText('Running').first().waitFor();
  await picture(page, 'browser-run');
  const second = await show(address);
  await page.getByText('Action required').first().waitFor();
  await second.page.getByText('Action required').first().waitFor();
  await picture(page, 'browser-halt');
  await page.getByRole('button', { name: 'Retry' }).first().click();
  await second.page.getByRole('button', { name: MERGE }).waitFor();
  await second.page.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => project.git('log', '--format=%s', '-1').trim(), { timeout: 60_000 }).toBe('Greet by browser');
  await picture(page, 'browser-merged');
  expect([...violations, ...second.violations]).toEqual([]);
});

test('a run that a terminal starts is seen in the browser', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 2_000 }));
  const { page } = await show(await serve(project));
  await page.getByText('Write').first().waitFor();
  project.robosmith('run', 'Feature', '--session', 'From a terminal', '--detach');
  await page.getByText('From a terminal').first().waitFor();
  await page.getByRole('button', { name: MERGE }).waitFor();
});

test('a browser whose host was killed says so, and finds the next one', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 8_000 }));
  const { page } = await show(await serve(project));
  await page.getByText('Write').first().waitFor();
  project.robosmith('run', 'Feature', '--session', 'Cut off', '--detach');
  await page.getByText('Running').first().waitFor();
  const host = project.hostPid();
  if (host === null) throw new Error('no host runs');
  process.kill(host, 'SIGKILL');
  await page.getByText('Interrupted').first().waitFor();
  await picture(page, 'browser-host-killed');
});
