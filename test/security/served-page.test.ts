import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isOfThisUser, userAt } from '../../src/cli/ui/peer-user.ts';
import { serveUi } from '../../src/cli/ui/serve-ui.ts';
import { uiPage } from '../../src/cli/ui/ui-page.ts';

let folder: string;
const undo: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-page-'));
});
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
  rmSync(folder, { recursive: true, force: true });
});

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, remote: string, state: string, user: number): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${String(user)}        0 1 1 0 20 4 30 10 -1`;

const OWN = { address: '127.0.0.1', port: 0x1f90 };
const PEER = { address: '127.0.0.1', port: 0xc350 };
const OURS = row('0100007F:1F90', '00000000:0000', '0A', 1000);

test.runIf(os.endianness() === 'LE').each([
  ['a connection of user 1001', [OURS, row('0100007F:C350', '0100007F:1F90', '01', 1001)], 1001],
  [
    'one that comes by IPv6',
    [OURS, row('0000000000000000FFFF00000100007F:C350', '0000000000000000FFFF00000100007F:1F90', '01', 1001)],
    1001,
  ],
  [
    'an end that is closed, of which the kernel says user 0',
    [OURS, row('0100007F:C350', '0100007F:1F90', '04', 0)],
    'nobody',
  ],
  ['an end that is gone', [OURS], 'nobody'],
  ['the same port of another address', [OURS, row('0200007F:C350', '0100007F:1F90', '01', 1000)], 'nobody'],
  ['a table that does not list the server', [row('0100007F:C350', '0100007F:1F90', '01', 1001)], null],
] as const)('the kernel tells the user of %s', (_, rows, user) => {
  expect(userAt([[HEAD, ...rows].join('\n')], OWN, PEER)).toBe(user);
});

/** Asks for the page; the status is that of the answer. */
function statusOf(address: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(address, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  })
    .on('error', reject)
    .end();
  return promise;
}

/** Opens the page's socket; true if the server accepts it. */
function isAccepted(address: string): Promise<boolean> {
  const { host, search } = new URL(address);
  const socket = new WebSocket(`ws://${host}/socket${search}`, { origin: `http://${host}` });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('open', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.terminate());
}

test.each([
  ['this', true, 200],
  ['another', false, 403],
] as const)('a page is for %s user, also with the token, which others can read', async (_, isOurs, status) => {
  const served = await serveUi({
    views: folder,
    page: (nonce) => uiPage('p', nonce),
    port: 0,
    attend: () => ({ hear: () => undefined, end: () => undefined }),
    isOfThisUser: () => Promise.resolve(isOurs),
  });
  undo.push(() => served.close());
  expect(await statusOf(served.address)).toBe(status);
  expect(await isAccepted(served.address)).toBe(isOurs);
});

/** Connects a process of this user id, or of this process's user, and returns the server's end. */
async function connected(uid?: number): Promise<Socket> {
  const arrived = Promise.withResolvers<Socket>();
  const server = createServer((socket) => arrived.resolve(socket)).listen(0, '127.0.0.1');
  undo.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const script = `require('node:net').connect(${String(port)}, '127.0.0.1').on('error', () => undefined)`;
  const child = spawn(process.execPath, ['-e', script], {
    cwd: '/',
    stdio: 'ignore',
    ...(uid === undefined ? {} : { uid }),
  });
  undo.push(() => child.kill('SIGKILL'));
  const socket = await arrived.promise;
  undo.push(() => socket.destroy());
  return socket;
}

test('a connection of the same user is known as such', async () => {
  expect(await isOfThisUser(await connected())).toBe(true);
});

const NOBODY = 65_534;
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Returns whether another user can start this Node, which may lie in a folder of the administrator's. */
function startsForOthers(): boolean {
  try {
    execFileSync(process.execPath, ['-e', ''], { uid: NOBODY, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.runIf(isRoot && startsForOthers())('a connection of another user is not', async () => {
  expect(await isOfThisUser(await connected(NOBODY))).toBe(false);
});

test.skipIf(process.platform === 'win32')('the browser is started by no program of the project', () => {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['xdg-open', 'vi']) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\necho "$0" >> '${path.join(folder, 'started')}'\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  const opener = fileURLToPath(new URL('../../src/cli/ui/served-page.ts', import.meta.url));
  const script = `
    const { openPage } = await import(${JSON.stringify(opener)});
    await openPage('http://127.0.0.1/', { env: process.env, platform: 'linux', stderr: process.stdout });`;
  const env = { PATH: `bin:.:${folder}/empty`, HOME: folder };
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect(said).toBe('No browser could be opened. Open the URL yourself.\n');
  expect(existsSync(path.join(folder, 'started'))).toBe(false);
});
