import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Frame, Locator, Request } from 'playwright-core';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { startEditor, userEnvironment } from './editor.ts';
import { MERGE, missionControl, packaged, useBrowser } from './scene.ts';
import { openWindow, PATIENCE_MS, picture } from './window.ts';

const scene = useBrowser();
const PATIENCE = { timeout: PATIENCE_MS };

/**
 * Starts a proxy that refuses all requests. Returns the environment variables that configure it, and the requests that
 * it received.
 */
async function watchedProxy() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    seen.push(request.url ?? '');
    socket.end();
  });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  server.listen(0, '127.0.0.1', () => resolve(undefined));
  await promise;
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    ...Object.fromEntries(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, address])),
    ...Object.fromEntries(['NO_PROXY', 'no_proxy'].map((name) => [name, '127.0.0.1,localhost'])),
  };
  return { seen, environment };
}

/** Creates the repository of a new user, without anything from RoboSmith in it. */
function strangersRepository(userFolder: string): { readonly folder: string; git(...args: string[]): string } {
  const folder = path.join(userFolder, 'home', 'notes');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'README.md'), '# Notes\n');
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env: userEnvironment(userFolder), encoding: 'utf8' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  return { folder, git };
}

/** Counts the clicks of a user, and measures how long each stage of the first hour takes. */
function stopwatch() {
  const began = performance.now();
  const stages: string[] = [];
  let clicks = 0;
  let last = began;
  const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);
  return {
    click: async (target: Locator): Promise<void> => {
      clicks += 1;
      await target.click();
    },
    clicks: () => clicks,
    done: (stage: string): void => {
      stages.push(`${stage} ${seconds(last)} s`);
      last = performance.now();
    },
    summary: () => `${stages.join(', ')}; ${seconds(began)} s and ${clicks} clicks in all`,
  };
}

const isElsewhere = (url: URL): boolean => /^https?:$/.test(url.protocol) && url.hostname !== '127.0.0.1';

/** Returns whether a request comes from a view of the extension rather than from VS Code's own page. */
function isOurs(request: Request): boolean {
  for (let frame: Frame | null = request.frame(); frame !== null; frame = frame.parentFrame())
    if (frame.url().includes('extensionId=robo-smith')) return true;
  return false;
}

test('the first hour of a stranger: install, walkthrough, first run and merge, without a network and without a key', async () => {
  const proxy = await watchedProxy();
  const { environment } = proxy;
  const editor = await startEditor(packaged(), scene.userFolder(), {
    isInstalled: false,
    environment,
    // This setting is VS Code's default; most tests change it.
    settings: { 'workbench.startupEditor': 'welcomePage' },
  });
  onTestFinished(() => editor.stop());
  const { folder, git } = strangersRepository(scene.userFolder());
  const profile = await scene.browser().newContext({ viewport: { width: 1280, height: 800 } });
  const asked: Record<'ours' | 'ofVsCode', string[]> = { ours: [], ofVsCode: [] };
  // The browser has no network access either.
  await profile.route(isElsewhere, async (route, request) => {
    asked[isOurs(request) ? 'ours' : 'ofVsCode'].push(request.url());
    await route.abort();
  });
  const window = await openWindow(profile, editor.address, folder);
  const { page } = window;
  onTestFailed(async () => {
    await window.command('Notifications: Show Notifications');
    await picture(page, 'failed-first-hour');
  });
  const watch = stopwatch();

  await window.command('Extensions: Install from VSIX');
  const file = page.locator('.quick-input-widget .quick-input-box input.input[aria-label*="Install from VSIX"]');
  // The dialog first fills in the folder in which it starts.
  await expect.poll(() => file.inputValue(), PATIENCE).toContain('/');
  await file.fill(packaged());
  await page.locator('.quick-input-list .monaco-list-row', { hasText: path.basename(packaged()) }).waitFor();
  const install = page.locator('.quick-input-widget .quick-input-action', { hasText: 'Install' });
  await watch.click(install);
  // VS Code ignores the button while the dialog still reads the folder.
  await expect
    .poll(async () => {
      await install.click({ timeout: 5_000 }).catch(() => undefined);
      return file.isVisible();
    }, PATIENCE)
    .toBe(false);
  const walkthrough = page.locator('.getting-started-category', { hasText: 'A first run with RoboSmith' });
  await walkthrough.waitFor();
  await picture(page, 'first-hour-0-installed');
  watch.done('install');

  await watch.click(walkthrough);
  const run = page.getByRole('button', { name: 'Run the Workflow' });
  await run.waitFor();
  await picture(page, 'first-hour-1-walkthrough');
  expect(readdirSync(folder).sort()).toEqual(['.git', 'README.md']);
  await watch.click(run);
  const setUp = page.getByRole('button', { name: 'Set Up notes' });
  await setUp.waitFor();
  await picture(page, 'first-hour-1-set-up');
  expect(readdirSync(folder).sort()).toEqual(['.git', 'README.md']);
  await watch.click(setUp);
  const trust = page.getByRole('button', { name: 'Trust and Run' });
  await trust.waitFor();
  await picture(page, 'first-hour-2-trust');
  watch.done('walkthrough');

  await watch.click(trust);
  await missionControl(window, 'First run');
  await picture(page, 'first-hour-3-run');
  const view = await missionControl(window, MERGE);
  await picture(page, 'first-hour-4-result');
  watch.done('first run');

  await watch.click(view.getByRole('button', { name: MERGE }));
  await missionControl(window, 'merged');
  await expect.poll(() => git('log', '--format=%s', '-1').trim(), PATIENCE).toBe('First run');
  await picture(page, 'first-hour-5-merged');
  watch.done('merge');

  console.log(`the first hour: ${watch.summary()}; VS Code itself asked for ${JSON.stringify(asked.ofVsCode)}`);
  expect(git('show', '--name-only', '--format=', 'HEAD').trim().split('\n')).toEqual([
    'robosmith-hello.mjs',
    'robosmith-hello.test.mjs',
  ]);
  expect(git('show', 'HEAD:robosmith-hello.mjs').trim()).toBe("export const greet = (name) => 'Hello ' + name;");
  expect(watch.clicks()).toBeLessThanOrEqual(6);
  expect({ byViews: asked.ours, byHost: proxy.seen }).toEqual({ byViews: [], byHost: [] });
  await window.close();
  await profile.close();
});
