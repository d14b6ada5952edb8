import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendControl } from '#actors/control/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { newId } from '#io/clock/identity.ts';
import type { ControlVerb } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';

const PROGRAM = fileURLToPath(new URL('../../../support/control-owner.ts', import.meta.url));

let folder = '';
let owner: ChildProcess | null = null;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-control-'));
});
afterEach(() => {
  owner?.kill('SIGKILL');
  owner = null;
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Starts an owner process that listens for requests, and returns the lines that it prints. */
async function startOwner(): Promise<AsyncIterator<string>> {
  const child = spawn(process.execPath, [PROGRAM, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  owner = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  return lines;
}

const parts = () => ({ calls: fileCalls, folder, watch: folderWatch, newId: () => newId(8), clock: wallClock });
const ask = (verb: ControlVerb, run: string, by = 'a test') =>
  sendControl(parts(), { verb, run: run as RunId, by }, 30_000);

test('another process gets what is asked, and its answer comes back', async () => {
  const lines = await startOwner();
  expect(await ask('pause', 'r1')).toEqual({ accepted: true, message: 'pause: done' });
  const { value } = (await lines.next()) as { value: string };
  expect(value).toMatch(/^pause r1 [0-9a-f]{16} a test$/);
  expect(await ask('stop', 'r2')).toEqual({ accepted: false, message: 'there is no run r2' });
  expect(await ask('cancel', 'broken')).toEqual({ accepted: false, message: 'out of order' });
  // The owner may not have removed its temporary file yet.
  const left = fs.readdirSync(path.join(folder, 'control')).filter((name) => !name.endsWith('.tmp'));
  expect(left).toEqual([]);
});

test('what many ask at once is taken once each', async () => {
  const lines = await startOwner();
  const asked = Array.from({ length: 40 }, (_, index) => `client ${index}`);
  const answers = await Promise.all(asked.map((by) => ask('stop', 'r1', by)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"accepted":true,"message":"stop: done"}']),
  );
  owner?.stdin?.end();
  const handled: string[] = [];
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) handled.push(line.value);
  expect(handled.map((line) => line.split(' ').slice(3).join(' ')).sort()).toEqual([...asked].sort());
});

test('what was asked before the owner came is taken when it comes', async () => {
  const answer = ask('cancel', 'r1');
  expect(fs.readdirSync(path.join(folder, 'control'))).toHaveLength(1);
  await startOwner();
  expect(await answer).toEqual({ accepted: true, message: 'cancel: done' });
});

test('garbage is reported by the owner, and stops nothing', async () => {
  const lines = await startOwner();
  fs.writeFileSync(path.join(folder, 'control', 'x.json'), '{');
  expect(await lines.next()).toMatchObject({
    value: 'report .flow/control/x.json is not a control request and was removed',
  });
  expect(await ask('stop', 'r1')).toEqual({ accepted: true, message: 'stop: done' });
});

test('an inbox keeps no process alive', () => {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, folder, 'idle'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'ready\n' });
});
