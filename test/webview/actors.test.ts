import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createWebSocketInspector } from '@statelyai/inspect';
import AxeBuilder from 'axe-core';
import { type Browser, chromium, type Page, type WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import type { InspectionEvent } from '#protocol/inspection.ts';
import { type HostedProject, hostedProject } from '../e2e/cli/hosted.ts';
import { NODE, PROGRAM } from '../e2e/cli/robosmith.ts';
import { CHROMIUM_FLAGS, findChromium } from './find-chromium.ts';

const executablePath = findChromium();
const HAS_VIEWS = existsSync(new URL('../../dist/webview/actors.js', import.meta.url));

let browser: Browser;
let at: HostedProject;
let page: Page;
let started: ChildProcess[];
let trouble: string[];

beforeAll(async () => {
  if (executablePath !== null) browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
});
afterAll(async () => {
  if (executablePath !== null) await browser.close();
});

beforeEach(async () => {
  [started, trouble] = [[], []];
  if (executablePath === null) return;
  at = await hostedProject();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('console', (message) => {
    const isExpected =
      message.location().url.endsWith('/favicon.ico') || message.text().startsWith('WebSocket connection');
    if (message.type() === 'error' && !isExpected) trouble.push(message.text());
  });
});
afterEach(async () => {
  if (executablePath === null) return;
  for (const child of started) child.kill('SIGINT');
  await page.close();
  await at.remove();
});

interface Announced {
  readonly address: string;
  readonly programs: string | null;
  end(): Promise<void>;
}

/** Starts `robosmith inspect` and returns its output. */
async function inspect(...args: readonly string[]): Promise<Announced> {
  const child = spawn(NODE, [PROGRAM, 'inspect', '--no-open', '--json', ...args], { cwd: at.folder });
  started.push(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let [out, err] = ['', ''];
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  const text = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
      if (out.trimEnd().endsWith('}')) resolve(out);
    });
    child.once('close', () => reject(new Error(`inspect ended: ${err}`)));
  });
  const { address, programs } = JSON.parse(text) as Announced;
  return {
    address,
    programs,
    end: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}

const actor = (text: string | RegExp) => page.getByRole('treeitem').filter({ hasText: text });

/** Saves a screenshot of the page if a folder for screenshots is set. */
async function picture(name: string): Promise<void> {
  const folder = process.env['ROBOSMITH_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/inspector-${name}.png` });
}

async function checkAccess(): Promise<void> {
  await page.evaluate(AxeBuilder.source);
  const found = await page.evaluate('axe.run(document, { rules: { region: { enabled: false } } })');
  const { violations } = found as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

test.skipIf(executablePath === null || !HAS_VIEWS)(
  'a run is watched live, halts, goes on, and is shown again from its recording',
  async () => {
    await at.write('fail-B', '');
    await at.startHost();
    const live = await inspect('--record', 'run.inspection.jsonl');
    await page.goto(live.address);
    const run = await at.detach();
    await actor(/Main__B@HALT/).click();
    await expect
      .poll(() => page.locator('.state.active').allTextContents())
      .toEqual([expect.stringContaining('Main__B@HALT')]);
    await checkAccess();
    await at.unlink('fail-B');
    await picture('halted');
    const { code } = await at.robosmith('resume', run, '--retry');
    expect(code).toBe(0);
    // The actors of the run stay in the tree with their last state.
    await expect.poll(() => actor(run).textContent()).toContain('@done');
    await page.getByRole('tab', { name: 'Sequence' }).click();
    await page.getByLabel('Sequence diagram').locator('text.text', { hasText: 'SIGNAL:SUCCESS' }).first().waitFor();
    await picture('resumed');
    await live.end();
    // The page reports that its server is gone and what to do, and keeps the data that it has received.
    await page.getByRole('alert').filter({ hasText: 'start it again and open the URL it prints' }).waitFor();
    expect(await actor(run).textContent()).toContain('@done');
    await checkAccess();
    await picture('server-ended');

    const lines = readFileSync(at.file('run.inspection.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(30);
    const again = await inspect('run.inspection.jsonl');
    expect(again.programs).toBeNull();
    await page.goto(again.address);
    await page.getByText(`event ${lines.length} of ${lines.length}`).waitFor();
    expect(await actor(run).textContent()).toContain('@done');
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.getByText(`event 0 of ${lines.length}`).waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(0);
    await picture('replayed-from-start');
    // Stepping through the events shows the state at each of them: every block in turn, the halt, the retry, the end.
    const values: (string | null)[] = [];
    const moments = lines.map((line) => JSON.parse(line) as InspectionEvent);
    const body = moments.find((event) => event.type === '@xstate.actor' && event.name === 'Main')?.sessionId;
    const wanted = moments.flatMap((event, moment) =>
      event.sessionId === body && event.type === '@xstate.snapshot' ? [[moment, event.snapshot.value] as const] : [],
    );
    for (const [moment, value] of wanted) {
      await page.getByRole('slider').fill(String(moment + 1));
      await page.getByText(`event ${moment + 1} of ${lines.length}`).waitFor();
      values.push(await page.locator('[role=treeitem][title^="Main: "] .value').textContent());
      if (value === 'Main__B@HALT') await picture('replayed-at-halt');
    }
    expect(values).toEqual(wanted.map(([, value]) => value));
    expect(values).toEqual(expect.arrayContaining(['Main__A', 'Main__B', 'Main__B@HALT', 'Main__C', '@return']));
    await page.getByRole('searchbox', { name: 'Filter the log' }).fill('SIGNAL:FAIL_DEFAULT');
    await page.getByRole('option').first().click();
    await expect
      .poll(() =>
        actor(/Main__/)
          .first()
          .textContent(),
      )
      .toMatch(/Main__B/);
    await picture('replayed-filtered');
    await page.getByRole('button', { name: 'Go to newest' }).click();
    expect(await actor(run).textContent()).toContain('@done');
    expect(trouble).toEqual([]);
  },
);

test.skipIf(executablePath === null || !HAS_VIEWS)('any XState program is shown, without a project', async () => {
  const live = await inspect('--programs');
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/socket/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.goto(live.address);
  const machine = createMachine({ id: 'light', initial: 'red', states: { red: { on: { GO: 'green' } }, green: {} } });
  const inspector = createWebSocketInspector({ url: live.programs ?? '' });
  const light = createActor(machine, { inspect: inspector.inspect }).start();
  await actor('light').click();
  await page.locator('.state.active').filter({ hasText: 'red' }).waitFor();
  light.send({ type: 'GO' });
  await page.locator('.state.active').filter({ hasText: 'green' }).waitFor();
  // A lost connection is opened again. The server then sends all events again, but they are not shown twice.
  const all = await page.getByRole('treeitem').count();
  await sockets[0]?.close();
  await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.locator('.state.active').filter({ hasText: 'green' }).waitFor();
  expect([await page.getByRole('treeitem').count(), sockets.length]).toEqual([all, 2]);
  inspector.stop();
  await actor('stopped').waitFor();
  expect(trouble).toEqual([]);
});
