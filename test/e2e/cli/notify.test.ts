import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Notice } from '#protocol/notice.ts';
import { verifies } from '../verifies.ts';
import { GATED, type SessionProject, sessionProject } from './session-project.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
let server: Server | null = null;
afterEach(async () => {
  await at.remove();
  const ending = server;
  server = null;
  if (ending !== null) await new Promise((resolve) => ending.close(resolve));
});

async function webhook() {
  const got: Notice[] = [];
  const listening = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      got.push((JSON.parse(text) as { readonly notice: Notice }).notice);
      response.end();
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/secret` };
}

test('what waits in the host is told by the webhook: a gate, and then the work that is done', async () => {
  verifies('cli.notify', 'cli.inbox');
  at = await sessionProject(GATED);
  const { got, url } = await webhook();
  const set = await at.robosmith('notify', '--webhook', url, '--test');
  expect([set.code, set.out]).toEqual([0, expect.stringContaining('A test notification was sent.')]);
  expect(set.out).not.toContain('secret');
  expect(got.map(({ title }) => title)).toEqual(['RoboSmith']);
  const begun = await at.robosmith('run', 'Fix', '--session', 'Gated', '--detach', '--trust');
  expect([begun.code, begun.err]).toEqual([0, expect.any(String)]);
  await until(() => got.length >= 2, 'the notice of the gate');
  const { id } = await at.session('Gated');
  expect(got[1]).toMatchObject({ title: 'Gated: Fix__Edit waits', session: id, command: 'robosmith inbox' });
  expect((await at.robosmith('inbox')).out).toContain(`session ${id}`);
  expect((await at.robosmith('sessions', 'hold', 'Gated')).code).toBe(0);
  expect((await at.robosmith('inbox')).out).toBe('Nothing waits for you.\n');
  const held = await at.robosmith('resume', got[1]?.run ?? '', '--proceed');
  expect([held.code, held.err]).toEqual([1, expect.stringContaining(`robosmith sessions resume ${id}`)]);
  expect((await at.robosmith('sessions', 'resume', 'Gated')).code).toBe(0);
  await until(() => got.length >= 3, 'the notice of the gate, again');
  got.pop();
  at.openGate();
  const resumed = await at.robosmith('resume', got[1]?.run ?? '', '--proceed');
  expect([resumed.code, resumed.err]).toEqual([0, expect.any(String)]);
  await until(() => got.length >= 3, 'the notice of the work that is done');
  expect(got.slice(2).map(({ title, command }) => [title, command])).toEqual([
    ['Gated is done', `robosmith sessions merge ${id}`],
  ]);
});

test('an address that is not encrypted, and a test without a place to show it, are refused with a next step', async () => {
  verifies('cli.notify');
  at = await sessionProject();
  for (const args of [['--webhook', 'http://example.com/x'], ['--desktop', 'maybe'], ['--test']]) {
    const { code, err } = await at.robosmith('notify', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('robosmith notify --help')]);
  }
  const { out, err } = await at.robosmith('notify');
  expect([out, err]).toEqual(['desktop  off\nwebhook  none\n', '\nNext:\n  robosmith notify --desktop on --test\n']);
  expect((await at.robosmith('notify', '--json')).out).toContain('"webhook": null');
});
