import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import { createVirtualClock } from '#io/clock/virtual-clock.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { Orchestrator } from '../../../../src/index.ts';
import { newFolder, node, removeFolder, runIn, withWorker } from '../../../support/in-folder.ts';
import { isAlive } from '../../../support/is-alive.ts';
import { until } from '../../../support/until.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const command = (argv: readonly string[], more: object = {}, block: object = {}) =>
  withWorker('Worker:C', { workers: { 'Worker:C': { kind: 'command', command: argv, ...more } } }, block);

describe('the signal of a command', () => {
  test.each([
    [0, undefined, 'SIGNAL:SUCCESS'],
    [1, undefined, 'SIGNAL:FAILURE'],
    [0, { 0: 'SIGNAL:GREEN', 3: 'SIGNAL:AMBER', '*': 'SIGNAL:RED' }, 'SIGNAL:GREEN'],
    [3, { 0: 'SIGNAL:GREEN', 3: 'SIGNAL:AMBER', '*': 'SIGNAL:RED' }, 'SIGNAL:AMBER'],
    [4, { 0: 'SIGNAL:GREEN', 3: 'SIGNAL:AMBER', '*': 'SIGNAL:RED' }, 'SIGNAL:RED'],
  ])('that exits with %i, by the table %j, is %s', async (code, signals, signal) => {
    verifies('workers.command.exit-codes', 'manifest.shape.command-worker');
    const argv = node(`process.exitCode = ${code}`);
    const response = await runIn(folder, command(argv, signals === undefined ? {} : { signals }));
    expect(response.path.map((entry) => entry.signal)).toEqual([signal]);
    expect(response.data.payload[0]?.meta).toMatchObject({ command: argv, exit_code: code });
  });

  test('that can not start is ERROR', async () => {
    verifies('workers.command.exit-codes');
    const response = await runIn(folder, command(['no-such-program-at-all'], { signals: { '*': 'SIGNAL:RED' } }));
    expect(response.path.map((entry) => entry.signal)).toEqual(['SIGNAL:ERROR']);
  });
});

test('what it says is told while it runs', async () => {
  const reported: string[] = [];
  await runIn(folder, command(node('console.log("halfway")')), {
    onEvent: (event) => {
      if (event.type === 'block.progress') reported.push(event.text);
    },
  });
  expect(reported).toEqual(['halfway']);
});

test('Internal:Command takes argv and table from the block', async () => {
  verifies('workers.command.exit-codes');
  const params = { command: node('process.exitCode = 7'), signals: { 7: 'SIGNAL:SEVEN' } };
  const response = await runIn(folder, withWorker('Internal:Command', {}, { params }));
  expect(response.path.map((entry) => entry.signal)).toEqual(['SIGNAL:SEVEN']);
});

test('Internal:Command without a command says so, and who it is once', async () => {
  const { reason, details } = await runIn(folder, withWorker('Internal:Command', {}, {}));
  expect([reason, details['message']]).toEqual([
    'precondition_failed',
    'Internal:Command of Main__A has no "command"; set it to a list of strings, with the program first',
  ]);
});

test('side_effects of the definition hold: non_idempotent unless it says so', async () => {
  verifies('manifest.shape.command-worker');
  const classOf = async (more: object) => {
    const classes: string[] = [];
    await runIn(folder, command(node('0'), more), {
      onEvent: (event) => {
        if (event.type === 'block.started') classes.push(event.side_effect_class);
      },
    });
    return classes;
  };
  expect(await classOf({})).toEqual(['non_idempotent']);
  expect(await classOf({ side_effects: 'idempotent' })).toEqual(['idempotent']);
});

test('it works in the directory of the run', async () => {
  verifies('workers.command.cwd');
  await mkdir(path.join(folder, 'work'));
  const argv = node('require("fs").writeFileSync("here", ""); process.stdout.write(process.cwd())');
  const response = await runIn(path.join(folder, 'work'), command(argv));
  expect(response.data.payload.map(({ content }) => content)).toEqual([path.join(folder, 'work')]);
  expect(existsSync(path.join(folder, 'work/here'))).toBe(true);
});

/** Returns a command that starts two children; all three processes log their ids and never end. */
const family = (): readonly string[] => {
  const file = JSON.stringify(path.join(folder, 'pids'));
  const stays = `require("fs").appendFileSync(${file}, process.pid + "\\n"); setInterval(() => {}, 1000);`;
  const child = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stays)}], { stdio: "ignore" });`;
  return node(`${stays} ${child} ${child}`);
};

const pids = async (): Promise<readonly number[]> =>
  (await readFile(path.join(folder, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

const allThere = async (): Promise<boolean> => (await pids()).length === 3;

describe.skipIf(process.platform === 'win32')('its whole process tree', () => {
  test('is gone when the time limit has passed', async () => {
    verifies('workers.command.timeout');
    const clock = createVirtualClock(0, () => 0);
    const ports = { ...realPorts(folder), clock };
    const slow = command(family(), {}, { timeout_ms: 60_000 });
    const run = new Orchestrator(slow, { ports }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    await until(allThere);
    expect(clock.advance()).toBe(true);
    expect(await run.settled()).toMatchObject({
      reason: 'timeout',
      details: { timeout_ms: 60_000 },
      path: [{ signal: 'SIGNAL:TIMEOUT' }],
    });
    const all = await pids();
    await until(() => !all.some(isAlive));
    expect(clock.now()).toBe(60_000);
  });

  test('is gone when the run is cancelled', async () => {
    verifies('engine.control.cancel');
    const run = new Orchestrator(command(family()), { directory: folder }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    await until(allThere);
    run.cancel();
    expect(await run.settled()).toMatchObject({
      success: false,
      reason: 'cancelled',
      path: [{ block: 'Main__A', signal: null, via: 'none', action: null }],
    });
    const all = await pids();
    await until(() => !all.some(isAlive));
    expect(existsSync(path.join(folder, 'pids'))).toBe(true);
  });
});
