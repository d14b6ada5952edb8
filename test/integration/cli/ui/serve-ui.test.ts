import { once } from 'node:events';
import { request } from 'node:http';
import { connect as openConnection } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ServedUi, serveUi } from '../../../../src/cli/ui/serve-ui.ts';
import { uiPage } from '../../../../src/cli/ui/ui-page.ts';

let views: string;
let served: ServedUi;
let heard: unknown[];
let posts: ((message: unknown) => void)[];
let ended: number;

beforeEach(async () => {
  views = mkdtempSync(path.join(os.tmpdir(), 'robosmith-ui-'));
  writeFileSync(path.join(views, 'view.js'), 'export {};\n');
  writeFileSync(path.join(views, '.secret.js'), 'no\n');
  [heard, posts, ended] = [[], [], 0];
  served = await serveUi({
    views,
    page: (nonce: string) => uiPage('<script>alert(1)</script>', nonce),
    port: 0,
    attend: (post) => {
      posts.push(post);
      return { hear: (message) => void heard.push(message), end: () => void (ended += 1) };
    },
  });
});

afterEach(async () => {
  await served.close();
  rmSync(views, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function get(place: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { hostname, port } = new URL(served.address);
  const asked = request({ hostname, port, path: place, headers, method }, (response) => {
    let body = '';
    response.on('data', (chunk: Buffer) => (body += chunk.toString()));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
  });
  asked.on('error', reject);
  asked.end();
  return promise;
}

const page = (): string => new URL(served.address).pathname + new URL(served.address).search;

test('it listens on 127.0.0.1 under an address with a token of 24 bytes', () => {
  expect(served.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
});

test('the page needs the token', async () => {
  expect((await get(page())).status).toBe(200);
  for (const place of ['/', '/?token=', `/?token=${'x'.repeat(32)}`, `${page()}x`]) {
    const answer = await get(place);
    expect([place, answer.status]).toEqual([place, 403]);
    expect(answer.body).not.toContain('view.js');
  }
});

test('the page brings its icon along, so that browsers request no other file', async () => {
  const { body } = await get(page());
  const icon = /<link rel="icon" href="data:image\/svg\+xml,([^"]+)">/.exec(body)?.[1] ?? '';
  expect(decodeURIComponent(icon)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
});

test('the page is under a policy without exceptions, and names no project as markup', async () => {
  const { headers, body } = await get(page());
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
  expect(body).toContain(`nonce="${nonce}"`);
  expect(body).not.toContain('<script>alert');
  expect((await get(page())).headers['content-security-policy']).not.toBe(policy);
});

test('a page of another name that points here is refused', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1'])
    expect([host, (await get(page(), { Host: host })).status]).toEqual([host, 403]);
});

test.each([
  '/.secret.js',
  '/../package.json',
  '/%2e%2e/package.json',
  '/..%2fview.js',
  '/view.json',
  '/a/view.js',
  '/view.js/',
  '/missing.js',
])('%s is not served', async (place) => {
  expect([403, 404]).toContain((await get(place)).status);
});

test('only GET is answered', async () => {
  expect((await get('/view.js')).status).toBe(200);
  expect((await get('/view.js', {}, 'POST')).status).toBe(405);
});

function connect(address: string, headers: Record<string, string>): Promise<WebSocket | number> {
  const { promise, resolve } = Promise.withResolvers<WebSocket | number>();
  const socket = new WebSocket(address, { headers });
  socket.on('open', () => resolve(socket));
  socket.on('unexpected-response', (_, response) => {
    resolve(response.statusCode ?? 0);
    socket.terminate();
  });
  socket.on('error', () => undefined);
  return promise;
}

test('the socket needs the token and the own page as its origin', async () => {
  const { host, search, origin } = new URL(served.address);
  expect(await connect(`ws://${host}/socket`, { Origin: origin })).toBe(403);
  expect(await connect(`ws://${host}/socket${search}`, {})).toBe(403);
  expect(await connect(`ws://${host}/socket${search}`, { Origin: 'http://evil.example' })).toBe(403);
  expect(await connect(`ws://${host}/other${search}`, { Origin: origin })).toBe(403);
  expect(posts).toEqual([]);
});

test('a program that resets its connection while it is refused ends nothing', async () => {
  const uncaught: unknown[] = [];
  const keep = (error: unknown): void => void uncaught.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', keep);
  onTestFinished(() => {
    process.off('uncaughtException', keep);
    for (const listener of others) process.on('uncaughtException', listener);
  });
  const { hostname, port, host } = new URL(served.address);
  const head = `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  for (let tries = 0; tries < 5; tries += 1) {
    const socket = openConnection(Number(port), hostname);
    const closed = once(socket, 'close');
    socket.write(head, () => socket.resetAndDestroy());
    await closed;
  }
  // The server answers this request after it has seen the resets.
  expect((await get(page())).status).toBe(200);
  expect(uncaught).toEqual([]);
});

test('messages go both ways, and a view that leaves is ended', async () => {
  const { host, search, origin } = new URL(served.address);
  const socket = await connect(`ws://${host}/socket${search}`, { Origin: origin });
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  const got = Promise.withResolvers<string>();
  socket.on('message', (data: Buffer) => got.resolve(data.toString()));
  posts[0]?.({ command: 'alive' });
  expect(await got.promise).toBe('{"command":"alive"}');
  socket.send('{"command":"ready"}');
  socket.send('no JSON');
  await expect.poll(() => heard).toEqual([{ command: 'ready' }, null]);
  socket.close();
  await expect.poll(() => ended).toBe(1);
});
