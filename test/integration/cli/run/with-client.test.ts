import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectToHost } from '#cli/run/connect-to-host.ts';
import { withClient } from '#cli/run/with-client.ts';
import { engineOwner, openEngine, projectTasks } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { RunId } from '#protocol/id.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let root = '';
/** A process that may edit the plan: its command line says so. */
let editor: ChildProcess;
beforeEach(() => {
  editor = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 100_000)', 'tasks'], { stdio: 'ignore' });
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-with-client-')));
  mkdirSync(path.join(root, '.flow'));
});
afterEach(() => {
  editor.kill();
  rmSync(root, { recursive: true });
});

const io = fakeIo({ env: { HOME: tmpdir() } });
const using = <Value>(work: (client: HostClient) => Promise<Value>) =>
  withClient(root, { io, warn: () => undefined }, work);

const add = (client: HostClient, name: string) =>
  client.call('tasks.edit', { edit: { kind: 'add', name }, pid: editor.pid ?? 0 });

const names = async (): Promise<readonly string[]> => {
  const listed = await projectTasks(root);
  return listed.ok ? listed.listing.tasks.map(({ name }) => name) : [];
};

describe('a command without a host', () => {
  test('serves the project itself, listens on its socket, and leaves nothing behind', async () => {
    const done = await using(async (client) => {
      const owner = engineOwner(root);
      expect([owner?.pid, client.about.foreground]).toEqual([process.pid, true]);
      expect(existsSync(owner?.socket ?? '')).toBe(true);
      await add(client, 'A');
      return owner?.socket ?? '';
    });
    if (!done.ok) throw new Error('the engine is busy');
    expect([engineOwner(root), existsSync(done.value), done.host]).toEqual([null, false, null]);
    expect(await names()).toEqual(['A']);
  });

  test('is joined by others through the socket', async () => {
    await using(async (client) => {
      const joined = await using(async (other) => {
        expect(other.about).toEqual(client.about);
        await Promise.all([add(client, 'A'), add(other, 'B')]);
      });
      expect(joined.ok).toBe(true);
      await add(client, 'C');
    });
    expect([...(await names())].sort()).toEqual(['A', 'B', 'C']);
  });

  test('many at once: no edit is lost, and none is refused', async () => {
    const all = Array.from({ length: 12 }, (_, index) => `T${String(index).padStart(2, '0')}`);
    const done = await Promise.all(all.map((name) => using((client) => add(client, name))));
    expect(done.map(({ ok }) => ok)).toEqual(all.map(() => true));
    const notices = done.map((one) =>
      one.ok && one.value.kind === 'edited' ? one.value.edited.notices.changed : null,
    );
    expect(notices.flat()).toEqual([]);
    expect([...(await names())].sort()).toEqual(all);
    expect(engineOwner(root)).toBeNull();
  });

  test('does not end before the request of another client that has begun', async () => {
    let joined: Promise<unknown> = Promise.resolve();
    await using(async () => {
      const found = await connectToHost(root, {}, io);
      if (found.kind !== 'connected') throw new Error(found.kind);
      joined = add(found.client, 'A').finally(() => found.client.close());
    });
    expect(await joined).toMatchObject({ kind: 'edited', edited: { ok: true } });
    expect(await names()).toEqual(['A']);
  });

  test('reports errors with their code, as a host does', async () => {
    const asked = using((client) => client.call('run.stop', { run: 'nothing' as RunId }));
    await expect(asked).rejects.toMatchObject({ code: 'usage', data: { parameter: 'run' } });
    writeFileSync(path.join(root, '.flow', 'sessions.json'), '{');
    const damaged = await using((client) => client.call('session.list', {}));
    expect(damaged).toMatchObject({ ok: false, refusal: { reason: 'corrupt_state' } });
    expect(engineOwner(root)).toBeNull();
  });
});

test('a request that a closing owner does not take goes to the next owner', async () => {
  const done = await using((first) =>
    using(async (client) => {
      const { since } = client.about;
      expect(since).toBe(first.about.since);
      await first.call('host.stop', { mode: 'force' });
      await client.gone;
      await add(client, 'A');
      return client.about.since > since;
    }),
  );
  expect(done).toMatchObject({ ok: true, value: { ok: true, value: true } });
  expect(await names()).toEqual(['A']);
});

test('an owner without a socket is named', async () => {
  const owner = openEngine(root, { warn: () => undefined });
  if (!owner.ok) throw new Error('the engine is busy');
  const asked = await using(() => Promise.resolve('worked'));
  owner.engine.close();
  expect(asked).toMatchObject({ ok: false, refusal: { reason: 'engine_busy', details: { pid: process.pid } } });
  expect(await using(() => Promise.resolve('worked'))).toMatchObject({ ok: true, value: 'worked' });
});
