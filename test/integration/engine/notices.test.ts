import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNotifier, isWebhook, readNoticeSettings, sendNotice, writeNoticeSettings } from '#engine/notices.ts';
import { showOnDesktop } from '#io/notify/desktop-notice.ts';
import { processes } from '#io/process/process.ts';
import type { Notice } from '#protocol/notice.ts';
import { verifies } from '../../e2e/verifies.ts';

let folder: string;
let environment: { readonly ROBOSMITH_CONFIG_DIR: string };
let server: Server | null = null;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-notices-'));
  environment = { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') };
});
afterEach(async () => {
  const ending = server;
  server = null;
  if (ending !== null) await new Promise((resolve) => ending.close(resolve));
  rmSync(folder, { recursive: true });
});

const notice = (title: string): Notice => ({
  title,
  text: 'it is a gate',
  command: 'robosmith resume r1 --proceed',
  project: folder,
  run: 'r1',
  session: null,
  at: 7,
});

/** Starts a webhook that answers with this status, and records what it receives. */
async function webhook(status: number, headers: Readonly<Record<string, string>> = {}) {
  const got: unknown[] = [];
  const listening = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      got.push([request.method, request.url, JSON.parse(text)]);
      response.writeHead(status, headers).end('{}');
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook`, got };
}

describe('a webhook', () => {
  test('gets a line that chats show, and the facts', async () => {
    verifies('cli.notify');
    const { url, got } = await webhook(200);
    expect(await sendNotice(notice('Fix waits'), { desktop: false, webhook: url })).toEqual([]);
    const text = 'Fix waits: it is a gate\nrobosmith resume r1 --proceed';
    expect(got).toEqual([['POST', '/hook', { text, notice: notice('Fix waits') }]]);
  });

  test('that redirects is followed nowhere, and one that refuses or is gone is told', async () => {
    const { url, got } = await webhook(307, { location: '/elsewhere' });
    expect(await sendNotice(notice('A'), { desktop: false, webhook: url })).toEqual([
      'the webhook answered with status 307',
    ]);
    expect(got).toHaveLength(1);
    const gone = await sendNotice(notice('A'), { desktop: false, webhook: 'http://127.0.0.1:1/' });
    expect(gone).toEqual([expect.stringContaining("can't reach the webhook")]);
  });

  test.each([
    ['https://hooks.example.com/T0', true],
    ['http://127.0.0.1:80/x', true],
    ['http://[::1]/x', true],
    ['http://hooks.example.com/T0', false],
    ['http://127.0.0.1.example.com/', false],
    ['https://user:password@example.com/', false],
    ['file:///etc/passwd', false],
    ['no address', false],
  ])('is encrypted, or on this machine: %s', (address, isOne) => {
    expect(isWebhook(address)).toBe(isOne);
  });
});

describe('settings', () => {
  test('are the user’s own, and nobody else reads them', async () => {
    expect(await readNoticeSettings(environment)).toEqual({ desktop: false, webhook: null });
    const settings = { desktop: true, webhook: 'https://hooks.example.com/secret' };
    await writeNoticeSettings(settings, environment);
    expect(await readNoticeSettings(environment)).toEqual(settings);
    const file = path.join(environment.ROBOSMITH_CONFIG_DIR, 'notify.json');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each(['', '[]', '{"desktop":"yes","webhook":"http://evil.example/"}', '{"webhook":{}}'])(
    'that make no sense ask for nothing: %s',
    async (text) => {
      await writeNoticeSettings({ desktop: true, webhook: null }, environment);
      writeFileSync(path.join(environment.ROBOSMITH_CONFIG_DIR, 'notify.json'), text);
      expect(await readNoticeSettings(environment)).toEqual({ desktop: false, webhook: null });
    },
  );
});

describe('a notifier', () => {
  test('sends nothing where nobody asked for it, and all to who did', async () => {
    const sent: string[] = [];
    const notifier = createNotifier(
      environment,
      () => undefined,
      ({ title }) => {
        sent.push(title);
        return Promise.resolve([]);
      },
    );
    notifier.notify(notice('unasked'));
    await notifier.idle();
    await writeNoticeSettings({ desktop: true, webhook: null }, environment);
    notifier.notify(notice('A'));
    await notifier.idle();
    notifier.notify(notice('B'));
    await notifier.idle();
    expect(sent).toEqual(['A', 'B']);
  });

  test('tells the first at once, and many that come meanwhile as one', async () => {
    await writeNoticeSettings({ desktop: true, webhook: null }, environment);
    const sent: Notice[] = [];
    const notifier = createNotifier(
      environment,
      () => undefined,
      (one) => {
        sent.push(one);
        return Promise.resolve([]);
      },
    );
    for (const title of ['A', 'B', 'C', 'D', 'E']) notifier.notify(notice(title));
    await notifier.idle();
    expect(sent.map(({ title, text, command }) => [title, text, command])).toEqual([
      ['A', 'it is a gate', 'robosmith resume r1 --proceed'],
      ['4 items wait for you', 'B, C, D, E', 'robosmith inbox'],
    ]);
  });

  test('logs what went wrong, and goes on', async () => {
    await writeNoticeSettings({ desktop: true, webhook: null }, environment);
    const logged: string[] = [];
    const notifier = createNotifier(
      environment,
      (message) => void logged.push(message),
      ({ title }) => (title === 'A' ? Promise.reject(new Error('no desktop')) : Promise.resolve(['it was refused'])),
    );
    notifier.notify(notice('A'));
    await notifier.idle();
    notifier.notify(notice('B'));
    await notifier.idle();
    expect(logged).toEqual(['no desktop', 'a notice was not shown: it was refused']);
  });
});

test.skipIf(process.platform === 'win32')('the desktop’s program gets words, and never a script', async () => {
  verifies('cli.notify');
  const out = path.join(folder, 'argv');
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${out}'\n`;
  for (const name of ['notify-send', 'osascript']) {
    writeFileSync(path.join(folder, name), script);
    chmodSync(path.join(folder, name), 0o755);
  }
  const before = process.env['PATH'];
  process.env['PATH'] = `${folder}${path.delimiter}${before ?? ''}`;
  try {
    const hostile = { ...notice('--help "; touch pwned'), text: '$(touch pwned) <img src="x"> & more' };
    expect(await showOnDesktop(hostile, processes)).toBe(null);
    const words = readFileSync(out, 'utf8').trimEnd().split('\n');
    const isMarkup = process.platform === 'linux';
    const text = isMarkup ? '$(touch pwned) &lt;img src="x"&gt; &amp; more' : hostile.text;
    expect(words.slice(-3)).toEqual(['--help "; touch pwned', text, hostile.command]);
  } finally {
    process.env['PATH'] = before;
  }
  expect(await showOnDesktop(notice('A'), processes, 'win32')).toContain('powershell.exe did not start');
});
