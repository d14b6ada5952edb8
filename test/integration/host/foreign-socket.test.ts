import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engineOwner } from '#engine/index.ts';
import { connectHost } from '#host/client/index.ts';
import { liveness } from '#io/process/process-identity.ts';
import { type HostBench, hostBench } from './host-bench.ts';

const NAME = '0123456789ab-0123456789abcdef';
const TOKEN = 'ab'.repeat(32);

let at: HostBench;
let server: Server;
let heard = '';
beforeEach(() => {
  at = hostBench();
  heard = '';
});
afterEach(async () => {
  server.close();
  await at.remove();
});

/** Acts as another user's program that accepts every connection. */
function listenAt(socket: string): Promise<void> {
  server = createServer((client) => {
    client.on('data', (part: Buffer) => {
      heard += part.toString();
      client.destroy();
    });
  });
  return new Promise((resolve) => server.listen(socket, resolve));
}

/** Adds to the project a lock that names a living process and this socket. */
function bringLock(socket: string, root = at.root): void {
  const claim = { version: 1, ...liveness.self, id: 'a', since: Date.now(), released: false, socket };
  mkdirSync(path.join(root, '.flow', 'engine.lock'), { recursive: true });
  writeFileSync(path.join(root, '.flow', 'engine.lock', '1.json'), `${JSON.stringify(claim)}\n`);
  expect(engineOwner(root)?.socket).toBe(socket);
}

const dialled = (root = at.root): Promise<unknown> =>
  connectHost(root, { environment: at.environment, client: 'test', timeoutMs: 0 });

const denied = expect.objectContaining({ code: 'host_denied' }) as Error;

describe.skipIf(process.platform === 'win32')('a socket that an engine lock names', () => {
  const place = (folder: string) => ({
    socket: path.join(folder, `${NAME}.sock`),
    token: path.join(folder, `${NAME}.token`),
  });
  const ownFolder = (): string => {
    const folder = path.join(at.base, 'run', 'robosmith');
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  };

  test('in a folder of the project: a secret that a link names is not sent there', async () => {
    const secret = path.join(at.base, 'secret');
    writeFileSync(secret, TOKEN, { mode: 0o600 });
    chmodSync(at.file('.flow'), 0o700);
    await listenAt(path.join(at.base, 'other.sock'));
    const { socket, token } = place(at.file('.flow'));
    symlinkSync(path.join(at.base, 'other.sock'), socket);
    symlinkSync(secret, token);
    bringLock(socket);
    await expect(dialled()).rejects.toThrow(denied);
    expect(heard).toBe('');
  });

  test('among those of hosts: neither a link nor another file counts', async () => {
    const { socket, token } = place(ownFolder());
    const other = path.join(at.base, 'other.sock');
    await listenAt(other);
    bringLock(socket);
    const brings = [
      () => {
        symlinkSync(other, socket);
        writeFileSync(token, TOKEN, { mode: 0o600 });
      },
      () => {
        writeFileSync(socket, '');
        writeFileSync(token, TOKEN, { mode: 0o600 });
      },
    ];
    for (const bring of brings) {
      bring();
      await expect(dialled()).rejects.toThrow(denied);
      rmSync(socket);
      rmSync(token);
    }
    expect(heard).toBe('');
  });

  test('its token is 64 hexadecimal digits in a file of the user’s alone, and no link', async () => {
    const { socket, token } = place(ownFolder());
    const secret = path.join(at.base, 'secret');
    writeFileSync(secret, TOKEN, { mode: 0o600 });
    await listenAt(socket);
    bringLock(socket);
    const brings = [
      () => symlinkSync(secret, token),
      () => writeFileSync(token, 'aws_secret_access_key = hunter2', { mode: 0o600 }),
      () => writeFileSync(token, TOKEN, { mode: 0o644 }),
      () => writeFileSync(token, `${TOKEN}\n`, { mode: 0o600 }),
    ];
    for (const bring of brings) {
      bring();
      await expect(dialled()).rejects.toThrow(denied);
      rmSync(token);
    }
    expect(heard).toBe('');
    writeFileSync(token, TOKEN, { mode: 0o600 });
    await expect(dialled()).rejects.toThrow(
      `it does not answer at ${socket}. End that process with \`kill -KILL ${process.pid}\``,
    );
    expect(heard).toContain(TOKEN);
  });

  test('of another project’s host is not asked for anything', async () => {
    server = createServer();
    const { status } = await at.serve();
    const other = path.join(at.base, 'other');
    mkdirSync(other);
    bringLock(status().socket, other);
    await expect(dialled(other)).rejects.toThrow(denied);
    const linked = path.join(at.base, 'linked');
    symlinkSync(at.root, linked);
    expect(statSync(linked).ino).toBe(statSync(at.root).ino);
    expect(await dialled(linked)).toMatchObject({ kind: 'connected' });
  });
});
