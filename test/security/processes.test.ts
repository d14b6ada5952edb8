import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { carriesMark } from '../../src/io/process/process-mark.ts';
import { project, type Project, to } from '../e2e/cli/robosmith.ts';

let here: Project;
afterEach(() => here.remove());

const MANUAL = {
  version: 1,
  entry: 'Main',
  nodes: {
    Main: {
      entry_block: 'Plan',
      blocks: { Plan: { worker: 'Internal:UpdateChangePlan', transitions: [to('FAIL_DEFAULT', 'RETURN')] } },
    },
  },
};

const MARK = '0123456789abcdef0123456789abcdef';

test.skipIf(process.platform !== 'linux').each<[string, Readonly<Record<string, string>>, (leader: number) => string]>([
  ['an empty entry', { SENTRY_DSN: `https://${MARK}@x/1` }, () => ''],
  ['an empty entry, and the very variable', { ROBOSMITH_PROCESS: MARK }, () => ''],
  [
    'an entry that names an engine of another boot',
    { ROBOSMITH_PROCESS: MARK },
    (pid) => {
      const who = { pid: 4_000_000, started: '11111111-1111-1111-1111-111111111111/pid:[1]/1', host: 'x' };
      return `${JSON.stringify(who)}\n${JSON.stringify({ ...who, pid })}\n`;
    },
  ],
  [
    'an entry that names no boot',
    { ROBOSMITH_PROCESS: MARK },
    (pid) =>
      `${JSON.stringify({ pid: 4_000_000, started: null, host: 'x' })}\n${JSON.stringify({ pid, started: null, host: 'x' })}\n`,
  ],
])('processes of the user are not ended by a file of the repository: %s', async (_, env, entry) => {
  here = await project({ '.vision/workflows.json': MANUAL });
  const stranger = spawn('sleep', ['100'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  try {
    await mkdir(here.file('.flow/processes'), { recursive: true });
    await writeFile(here.file(path.join('.flow/processes', MARK)), entry(stranger.pid ?? 0));
    const { code } = await here.robosmith('run', 'Main', '--in', '.', '--json');
    expect(code).toBe(0);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    expect(existsSync(`/proc/${String(stranger.pid)}`)).toBe(true);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('a mark counts as a whole part of its own variable, and nowhere else', async () => {
  here = await project({});
  const carries = (...variables: readonly string[]): boolean => carriesMark(`${variables.join('\0')}\0`, MARK);
  expect(carries('A=1', `ROBOSMITH_PROCESS=${MARK}`)).toBe(true);
  expect(carries(`ROBOSMITH_PROCESS=aa:${MARK}:bb`)).toBe(true);
  for (const other of [
    `DSN=${MARK}`,
    `ROBOSMITH_PROCESS=${MARK}0`,
    `ROBOSMITH_PROCESS=0${MARK}`,
    `ROBOSMITH_PROCESSES=${MARK}`,
    `X=ROBOSMITH_PROCESS=${MARK}`,
  ])
    expect([other, carries(other)]).toEqual([other, false]);
});
