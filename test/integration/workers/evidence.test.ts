import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { wallClock } from '#io/clock/clock.ts';
import { createFiles } from '#io/transactions/files.ts';
import { processes } from '#io/process/process.ts';
import type { Evidence, GraphBlock } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { evidenceWorker } from '#workers/index.ts';
import { verifies } from '../../e2e/verifies.ts';

const NODE = process.execPath;

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-evidence-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const reported: string[] = [];
const services = (more: Partial<Services> = {}): Services => ({
  clock: wallClock,
  files: createFiles(root),
  processes,
  logs: null,
  changePlan: null,
  commands: {},
  block: {} as GraphBlock,
  definition: null,
  progress: (text) => void reported.push(text),
  ...more,
});

async function look(evidence: Evidence, more: Partial<Services> = {}) {
  const memory = { system: { worktree: root } } as BlockMemory;
  const result = await evidenceWorker(evidence).execute(memory, services(more), new AbortController().signal);
  const [segment] = result.append ?? [];
  return { holds: result.signal === 'SIGNAL:SUCCESS', log: segment?.content, meta: segment?.meta ?? {} };
}

const command = (code: string, timeoutMs: number | null = null): Evidence => ({
  kind: 'command',
  command: [NODE, '-e', code],
  timeoutMs,
});

const file = (name: string, contains: string | null = null): Evidence => ({ kind: 'file', file: name, contains });

describe('a command', () => {
  test('holds when it exits with 0, in the worktree', async () => {
    verifies('decisions.run-semantics.30');
    await writeFile(path.join(root, 'here'), '');
    const { holds, log, meta } = await look(command("require('node:fs').statSync('here'); console.log('fine')"));
    expect([holds, log, meta['exit_code'], meta['ended']]).toEqual([true, '', 0, 'exited']);
  });

  test('does not hold when it exits with anything else; its log says why, both streams', async () => {
    verifies('decisions.run-semantics.30');
    const { holds, log, meta } = await look(command("console.log('out'); console.error('err'); process.exitCode = 3"));
    expect([holds, log?.split('\n').sort(), meta['exit_code']]).toEqual([false, ['', 'err', 'out'], 3]);
    expect(meta['summary']).toMatch(/exited with 3 after \d+ ms$/);
  });

  test('does not hold when it takes longer than its limit, and is gone then', async () => {
    verifies('decisions.run-semantics.30');
    const { holds, log, meta } = await look(command("console.log('begun'); setInterval(() => {}, 1000)", 1_000));
    expect([holds, log, meta['ended']]).toEqual([false, 'begun\n', 'timed_out']);
  });

  test('does not hold when it cannot start', async () => {
    verifies('decisions.run-semantics.30');
    const command = ['no-such-program-here', 'x'.repeat(1_000)];
    const { holds, meta } = await look({ kind: 'command', command, timeoutMs: null });
    expect([holds, meta['ended']]).toEqual([false, 'not_started']);
    expect(meta['summary']).toMatch(
      /^no-such-program-here x{478}… did not start: there is no program `no-such-program-here` on the PATH$/,
    );
  });

  test('that says a lot keeps the two ends of its log', async () => {
    const { log = '' } = await look(
      command("console.log('first' + 'x'.repeat(100_000) + 'last'); process.exitCode = 1"),
    );
    expect([log.slice(0, 5), log.trimEnd().slice(-4), log.length < 21_000]).toEqual(['first', 'last', true]);
  });

  test('is never a line for a shell', async () => {
    const { log } = await look({
      kind: 'command',
      command: [NODE, '-e', 'console.log(process.argv.slice(1).join()); process.exit(1)', '$HOME', '; echo no'],
      timeoutMs: null,
    });
    expect(log).toBe('$HOME,; echo no\n');
  });
});

describe('a file', () => {
  test('holds when it is there; a glob when one of its files is', async () => {
    verifies('decisions.run-semantics.30');
    await mkdir(path.join(root, 'dist/deep'), { recursive: true });
    await writeFile(path.join(root, 'dist/deep/a.js'), 'x');
    const looks = ['dist/deep/a.js', 'dist/**/*.js', 'dist/*.js', 'nothing'].map((name) => look(file(name)));
    expect((await Promise.all(looks)).map(({ holds }) => holds)).toEqual([true, true, false, false]);
  });

  test('holds with a text when one that matches has it', async () => {
    verifies('decisions.run-semantics.30');
    await writeFile(path.join(root, 'a.md'), '# One\n');
    await writeFile(path.join(root, 'b.md'), '# Two (with .* in it)\n');
    const looks = [look(file('*.md', '# Two')), look(file('*.md', '(with .* in')), look(file('a.md', '# Two'))];
    expect((await Promise.all(looks)).map(({ holds }) => holds)).toEqual([true, true, false]);
    expect((await looks[2])?.meta['summary']).toBe('a.md does not contain the text "# Two"');
  });

  test.skipIf(process.platform === 'win32')('may be a link to one in the worktree', async () => {
    await writeFile(path.join(root, 'real'), '');
    await symlink('real', path.join(root, 'link'));
    expect((await look(file('link'))).holds).toBe(true);
  });

  test.each(['../outside', '/etc/hostname', 'a\0b', '../*', '.'])(
    '%j leads out, or nowhere: it is refused',
    async (name) => {
      await expect(look(file(name))).rejects.toMatchObject({ code: 'unsafe_path' });
    },
  );
});

test('people hear what is looked at', async () => {
  reported.length = 0;
  await look(file('there'));
  expect(reported).toEqual(['evidence: file there']);
});

test.each([file('a'), command('')])('where there is no directory nothing holds', async (evidence) => {
  await expect(look(evidence, { files: null, processes: null })).rejects.toMatchObject({ code: 'precondition_failed' });
});

test('of many files without a text only some are named', async () => {
  for (let number = 0; number < 50; number += 1) await writeFile(path.join(root, `${number}.md`), '');
  const { meta } = await look(file('*.md', 'x'));
  expect(meta['summary']).toBe(
    '0.md, 1.md, 10.md, 11.md, 12.md, 13.md, 14.md, 15.md, 16.md, 17.md and 40 more do not contain the text "x"',
  );
});
