import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
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
  const report = { format: 'output', errors: 1, warnings: 0 };
  expect(metaOf(segment)).toEqual({ outcome: 'FAIL', exit_code: 3, duration_ms: 'number', summary: 'string', report });
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

test('a command that can not start is a failed execution that names the program', async () => {
  verifies('workers.test-runner.cannot-start');
  const command = ['no-such-program-at-all', 'test'];
  const response = await runIn(folder, withWorker('Internal:TestRunner', { commands: { test: command } }));
  expect(response.path[0]?.signal).toBe('SIGNAL:ERROR');
  expect([response.reason, response.details]).toEqual([
    'precondition_failed',
    expect.objectContaining({
      program: 'no-such-program-at-all',
      message: expect.stringContaining('there is no program `no-such-program-at-all` on the PATH') as unknown,
    }),
  ]);
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

const NODE = process.execPath;

/** Writes a file with one test of Node's test runner, which compares 2 with a number. */
const suite = (sum: number, name = 'sum.test.mjs'): Promise<void> =>
  writeFile(
    path.join(folder, name),
    `import test from "node:test";\nimport assert from "node:assert";\ntest("adds", () => {\n  assert.equal(1 + 1, ${sum});\n});\n`,
  );

test('tests of which none runs are FAILURE, unless the manifest allows it', async () => {
  const command = [NODE, '--test', '--test-reporter=dot', '--test-name-pattern=zzz'];
  await suite(2);
  const { signal, segment } = await testing(...command);
  expect([signal, segment.meta['outcome'], segment.meta['reason']]).toEqual(['SIGNAL:FAILURE', 'FAIL', 'no_tests']);
  expect(segment.meta['summary']).toMatch(/ exited with 0 after \d+ ms, but it ran no test; "allow_empty": true /);
  const allowed = await runIn(
    folder,
    withWorker('Internal:TestRunner', { commands: { test: { command, allow_empty: true } } }),
  );
  expect([allowed.path[0]?.signal, allowed.data.payload[0]?.meta['outcome']]).toEqual(['SIGNAL:SUCCESS', 'PASS']);
});

test.skipIf(process.platform === 'win32').each(['| cat', '|| true', '; true'])(
  'a red report is FAILURE although the command exits with 0: %s',
  async (end) => {
    await suite(3);
    const { signal, segment, failures } = await testing('sh', '-c', `"${NODE}" --test ${end}`);
    expect([signal, segment.meta['reason'], segment.meta['exit_code']]).toEqual(['SIGNAL:FAILURE', 'red_report', 0]);
    expect(segment.meta['summary']).toMatch(/ exited with 0 after \d+ ms, but its report has 1 failure$/);
    expect(failures.map(({ meta }) => [meta['name'], meta['file'], meta['line']])).toEqual([
      ['adds', 'sum.test.mjs', 4],
    ]);
  },
);

test('test runners that a test starts add nothing to the report, and see the environment of the project', async () => {
  await mkdir(path.join(folder, 'inner'));
  await suite(3, 'inner/red.mjs');
  await writeFile(
    path.join(folder, 'outer.test.mjs'),
    `import test from "node:test";
import assert from "node:assert";
import { spawnSync } from "node:child_process";
test("a red run is red", () => {
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  assert.equal(spawnSync(process.execPath, ["--test", "inner/red.mjs"], { env }).status, 1);
  assert.deepEqual(Object.keys(env).filter((name) => /ROBOSMITH_ADDED|NODE_OPTIONS|PYTHONPATH|RUBYLIB/.test(name)), []);
});
`,
  );
  const { signal, segment } = await testing(NODE, '--test', 'outer.test.mjs');
  expect([signal, segment.meta['report']]).toMatchObject(['SIGNAL:SUCCESS', { tests: { passed: 1, failed: 0 } }]);
});

test.skipIf(process.platform === 'win32')('a runner that is killed leaves a report that is no evidence', async () => {
  const source = 'import test from "node:test";\ntest("a", () => process.kill(process.ppid, "SIGKILL"));\n';
  await writeFile(path.join(folder, 'a.test.mjs'), source);
  const { signal, segment } = await testing('sh', '-c', `"${NODE}" --test a.test.mjs; exit 0`);
  expect([signal, segment.meta['reason'], segment.meta['exit_code']]).toEqual(['SIGNAL:FAILURE', 'broken_report', 0]);
});

test('a failure without a report has the part of the output that names it', async () => {
  const noise = 'console.log("fine\\n".repeat(200))';
  const { failures } = await testing(
    ...node(`${noise}; console.log("FATAL: no database\\nsee the log"); ${noise}; process.exitCode = 1`),
  );
  expect(failures.map(({ type, content }) => [type, content.split('\n').slice(0, 5)])).toEqual([
    ['TEST_FAILURE', ['fine', 'fine', '', 'FATAL: no database', 'see the log']],
  ]);
});

test('the check of a block does not accept tests of which none runs', async () => {
  await suite(2);
  const command = [NODE, '--test', '--test-reporter=dot', '--test-name-pattern=zzz'];
  const check = async (setting: object) => {
    const block = { params: { command: node('0') }, check: { command: 'test', attempts: 1, ...setting } };
    const manifest = withWorker('Internal:Command', { commands: { test: command } }, block);
    const { data } = await runIn(folder, manifest);
    return data.payload.filter(({ type }) => type === 'EVIDENCE_FAILED').map(({ meta }) => meta['reason']);
  };
  expect([await check({}), await check({ allow_empty: true })]).toEqual([['no_tests'], []]);
});
