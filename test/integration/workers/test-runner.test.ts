import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Segment } from '#protocol/payload.ts';
import { verifies } from '../../e2e/verifies.ts';
import { newFolder, node, removeFolder, runIn, withWorker } from '../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const testing = async (...command: readonly string[]) => {
  const { path: entries, data } = await runIn(
    folder,
    withWorker('Internal:TestRunner', { commands: { test: command } }),
  );
  const [segment, ...failures] = data.payload;
  if (segment === undefined) throw new Error('a segment was expected');
  return { signal: entries[0]?.signal, segment, failures };
};

const metaOf = ({ meta }: Segment) => ({
  ...meta,
  duration_ms: typeof meta['duration_ms'],
  summary: typeof meta['summary'],
});

test('a suite that passes is SUCCESS, and its log is kept', async () => {
  verifies('workers.test-runner.pass-fail', 'workers.test-runner.segment');
  const { signal, segment } = await testing(...node('console.log("1 passed")'));
  expect(signal).toBe('SIGNAL:SUCCESS');
  expect([segment.type, segment.content]).toEqual(['TEST_RESULT', '1 passed\n']);
  expect(metaOf(segment)).toEqual({ outcome: 'PASS', exit_code: 0, duration_ms: 'number', summary: 'string' });
});

test('a suite that fails is FAILURE, with what it said on either stream', async () => {
  verifies('workers.test-runner.pass-fail', 'workers.test-runner.segment');
  const { signal, segment } = await testing(...node('console.error("1 failed"); process.exitCode = 3'));
  expect(signal).toBe('SIGNAL:FAILURE');
  expect([segment.type, segment.content]).toEqual(['TEST_RESULT', '1 failed\n']);
  expect(metaOf(segment)).toEqual({ outcome: 'FAIL', exit_code: 3, duration_ms: 'number', summary: 'string' });
});

test('a real test suite of the project is run where the project is', async () => {
  verifies('workers.test-runner.pass-fail');
  const suite = (sum: number) =>
    `import test from "node:test";import assert from "node:assert";test("adds", () => assert.equal(1 + 1, ${sum}));`;
  const file = path.join(folder, 'sum.test.mjs');
  const run = () => testing(process.execPath, '--test');
  await writeFile(file, suite(3));
  const failed = await run();
  expect(failed.signal).toBe('SIGNAL:FAILURE');
  expect(failed.segment.content).toContain('2 == 3');
  expect(failed.segment.meta).toMatchObject({ report: { errors: 1, tests: { passed: 0, failed: 1, skipped: 0 } } });
  expect(failed.failures.map(({ type, meta }) => [type, meta['name'], meta['file'], meta['line']])).toEqual([
    ['TEST_FAILURE', 'adds', 'sum.test.mjs', 1],
  ]);
  await writeFile(file, suite(2));
  const passed = await run();
  expect([passed.signal, passed.failures]).toEqual(['SIGNAL:SUCCESS', []]);
  expect(passed.segment.meta).toMatchObject({
    outcome: 'PASS',
    report: { errors: 0, tests: { passed: 1, failed: 0 } },
  });
});

test('a long log keeps both ends, and says how much is left out', async () => {
  verifies('workers.test-runner.elided');
  const { segment } = await testing(
    ...node(
      'console.log("first"); for (let i = 0; i < 30; i += 1) console.log("x".repeat(99_999)); console.log("last")',
    ),
  );
  const left = /\n… (\d+) characters left out …\n/.exec(segment.content);
  expect(segment.content.startsWith('first\nxxx')).toBe(true);
  expect(segment.content.endsWith('xxx\nlast\n')).toBe(true);
  const written = 'first\n'.length + 30 * 100_000 + 'last\n'.length;
  expect(segment.content.length - (left?.[0].length ?? 0) + Number(left?.[1])).toBe(written);
  expect(segment.content.length).toBeLessThan(written / 2);
});

test('a command that can not start is ERROR, and the segment says why', async () => {
  verifies('workers.test-runner.cannot-start');
  const { signal, segment } = await testing('no-such-program-at-all', 'test');
  expect(signal).toBe('SIGNAL:ERROR');
  expect(segment.content).toBe(
    'no-such-program-at-all test did not start: there is no program `no-such-program-at-all` on the PATH',
  );
  expect(metaOf(segment)).toMatchObject({ outcome: 'FAIL', exit_code: null });
});

test('what it says is told while it runs: the last line of it that is not empty', async () => {
  const reported: string[] = [];
  const go = path.join(folder, 'go');
  const source = `console.log("first\\r\\n 1 of 2\\n\\n"); const fs = require("fs"); setInterval(() => { if (fs.existsSync(${JSON.stringify(go)})) { console.log("2 of 2"); process.exit(); } }, 5)`;
  await runIn(folder, withWorker('Internal:TestRunner', { commands: { test: node(source) } }), {
    onEvent: (event) => {
      if (event.type !== 'block.progress') return;
      reported.push(event.text);
      writeFileSync(go, '');
    },
  });
  expect(reported).toEqual(['1 of 2', '2 of 2']);
});

test.skipIf(process.platform === 'win32')('both streams stand in the order in which they were written', async () => {
  verifies('workers.test-runner.interleaved');
  const source = 'for (let i = 0; i < 50; i += 1) require("fs").writeSync(1 + (i % 2), `${i}\\n`)';
  const { segment } = await testing(...node(source));
  expect(segment.content).toBe(Array.from({ length: 50 }, (_, index) => `${index}\n`).join(''));
});

test.skipIf(process.platform === 'win32')(
  'a command that dies by a signal is FAILURE, and the signal is named',
  async () => {
    const { signal, segment } = await testing('sh', '-c', 'kill -SEGV $$');
    expect([signal, segment.meta['exit_code']]).toEqual(['SIGNAL:FAILURE', null]);
    expect(segment.meta['summary']).toMatch(/^sh -c kill -SEGV \$\$ was killed by SIGSEGV after \d+ ms$/);
  },
);

test('a command that passes without any test says so', async () => {
  const { signal, segment } = await testing(process.execPath, '--test', '--test-reporter=tap');
  expect([signal, segment.meta['outcome']]).toEqual(['SIGNAL:SUCCESS', 'PASS']);
  expect(segment.meta['summary']).toMatch(/ exited with 0 after \d+ ms, without any test$/);
});
