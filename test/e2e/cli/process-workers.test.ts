import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { Segment } from '#protocol/payload.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { type DurableProject, durableProject } from './durable.ts';
import { NODE, to } from './robosmith.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let at: DurableProject;
afterEach(() => at.remove());

const TOOLS = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const RUN = ['run', 'Main', '--in', '.', '--trust'];

const GO_ON = [to('SUCCESS', 'RETURN'), to('FAILURE', 'RETURN'), to('ERROR', 'RETURN')];

const one = (worker: string, commands: object) => ({
  version: 1,
  commands,
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker, transitions: GO_ON } } } },
});

/** Runs one worker with one command, and returns the segments that it appended. */
async function ran(worker: string, name: string, command: readonly string[], files: object = {}) {
  at = await durableProject({ '.vision/workflows.json': one(worker, { [name]: command }), ...files });
  const { code, out, err } = await at.robosmith(...RUN, '--json');
  if (out === '') throw new Error(err);
  const response = JSON.parse(out) as Response;
  const [segment, ...found] = response.data.payload;
  if (segment === undefined) throw new Error('there is no segment');
  return { code, signal: response.path[0]?.signal, segment, found };
}

const places = (found: readonly Segment[]) =>
  found.map(({ type, meta }) => [type, meta['file'], meta['line'], meta['rule'] ?? meta['name']]);

const logOf = ({ meta }: Segment) => meta['log'] as { readonly blob: string; readonly bytes: number };
const blob = (name: string): Buffer => readFileSync(at.file(path.join('.flow', 'blobs', name)));

const SUITE = `import assert from 'node:assert';
import { test } from 'node:test';
test('adds', () => assert.equal(1 + 1, 2));
test('fails', () => {
  assert.equal(1 + 1, 3, 'that is wrong');
});
`;

describe('tests', () => {
  test.each(['tap', 'spec', 'junit'])('of Node with the reporter %s', async (reporter) => {
    verifies('workers.test-runner.segment', 'workers.test-runner.whole-log');
    const command = [NODE, '--test', `--test-reporter=${reporter}`, 'sum.test.mjs'];
    const { code, signal, segment, found } = await ran('Internal:TestRunner', 'test', command, {
      'sum.test.mjs': SUITE,
    });
    expect([code, signal, segment.type]).toEqual([0, 'SIGNAL:FAILURE', 'TEST_RESULT']);
    expect(segment.meta).toMatchObject({
      outcome: 'FAIL',
      exit_code: 1,
      report: { format: 'node-test', errors: 1, warnings: 0, tests: { passed: 1, failed: 1, skipped: 0 } },
    });
    expect(places(found)).toEqual([['TEST_FAILURE', 'sum.test.mjs', 5, 'fails']]);
    expect(found[0]?.content).toContain('that is wrong');
    // A log under 8 KiB is kept in the segment only.
    expect([logOf(segment), segment.content]).toEqual([undefined, expect.stringContaining('that is wrong')]);
  });

  test.each(['json', 'junit', 'default', 'tap'])('of Vitest with the reporter %s', async (reporter) => {
    const suite = `import { expect, test } from '${TOOLS}/vitest/dist/index.js';\ntest('fails', () => {\n  expect(1 + 1).toBe(3);\n});\n`;
    const command = [NODE, path.join(TOOLS, 'vitest/vitest.mjs'), 'run', `--reporter=${reporter}`];
    const { signal, segment, found } = await ran('Internal:TestRunner', 'test', command, { 'sum.test.ts': suite });
    expect(signal).toBe('SIGNAL:FAILURE');
    expect(segment.meta['report']).toMatchObject({ format: 'vitest', errors: 1, tests: { passed: 0, failed: 1 } });
    expect(places(found)).toEqual([['TEST_FAILURE', 'sum.test.ts', 3, 'fails']]);
  });

  test('that pass say so, and nothing of a failure', async () => {
    verifies('workers.test-runner.pass-fail');
    const suite = SUITE.replace('3, ', '2, ');
    const { signal, segment, found } = await ran('Internal:TestRunner', 'test', [NODE, '--test', 'sum.test.mjs'], {
      'sum.test.mjs': suite,
    });
    expect([signal, found]).toEqual(['SIGNAL:SUCCESS', []]);
    expect(segment.meta).toMatchObject({ outcome: 'PASS', exit_code: 0, report: { tests: { passed: 2, failed: 0 } } });
  });

  test('that can not start are ERROR', async () => {
    verifies('workers.test-runner.cannot-start');
    at = await durableProject({
      '.vision/workflows.json': one('Internal:TestRunner', { test: ['no-such-program-at-all'] }),
    });
    const { path: steps, data } = JSON.parse((await at.robosmith(...RUN, '--json')).out) as Response;
    expect([steps[0]?.signal, data.payload]).toEqual(['SIGNAL:ERROR', []]);
  });

  test('with a long log: both ends in the segment, all of it in a blob that lives as long as the run', async () => {
    verifies('workers.test-runner.whole-log', 'workers.test-runner.elided');
    const source =
      'for (let i = 0; i < 60_000; i += 1) console.log(`line ${i} \\u00e9`); process.stdout.write(Buffer.from([255]))';
    const { segment } = await ran('Internal:TestRunner', 'test', [NODE, '-e', source]);
    expect(segment.content.length).toBeLessThan(110_000);
    expect(segment.content).toMatch(/^line 0 é\n[^]*\n… \d+ characters left out …\n[^]*line 59999 é\n\uFFFD$/);
    const { blob: name, bytes } = logOf(segment);
    const whole = blob(name);
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index} é\n`).join('');
    expect(whole.equals(Buffer.concat([Buffer.from(lines), Buffer.from([255])]))).toBe(true);
    expect([whole.length, createHash('sha256').update(whole).digest('hex')]).toEqual([bytes, name]);
    const keep = await at.robosmith('runs', 'prune', '--keep', '1');
    expect([keep.code, existsSync(at.file(`.flow/blobs/${name}`))]).toEqual([0, true]);
    const all = await at.robosmith('runs', 'prune', '--keep', '0');
    expect([all.code, existsSync(at.file(`.flow/blobs/${name}`))]).toEqual([0, false]);
  });
});

describe('lint and build', () => {
  const lint = (format: string) => [NODE, path.join(TOOLS, 'eslint/bin/eslint.js'), '.', '-f', format];
  const files = {
    'package.json': { name: 'x' },
    'eslint.config.mjs':
      "export default [{ files: ['src/*.js'], rules: { eqeqeq: 'error', 'no-unused-vars': 'warn' } }];",
    'src/a.js': 'const unused = 1;\nif (Date == 2) { Date(); }\n',
  };

  test.each(['json', 'stylish'])('ESLint, as %s', async (format) => {
    verifies('workers.linter');
    const { signal, segment, found } = await ran('Internal:RunLinter', 'lint', lint(format), files);
    expect([signal, segment.type]).toEqual(['SIGNAL:FAILURE', 'LINT_RESULT']);
    expect(segment.meta).toMatchObject({ outcome: 'FAIL', report: { errors: 1, warnings: 1 } });
    expect(places(found)).toEqual([
      ['LINT_PROBLEM', 'src/a.js', 2, 'eqeqeq'],
      ['LINT_PROBLEM', 'src/a.js', 1, 'no-unused-vars'],
    ]);
  });

  test('a build: tsc', async () => {
    verifies('workers.builder');
    const tsc = [NODE, path.join(TOOLS, 'typescript/bin/tsc'), '--noEmit', '--pretty', 'false', 'src/a.ts'];
    const source = { 'src/a.ts': 'export const a: number = "text";\n' };
    const { signal, segment, found } = await ran('Internal:RunBuilder', 'build', tsc, source);
    expect([signal, segment.type, segment.meta['outcome']]).toEqual(['SIGNAL:FAILURE', 'BUILD_RESULT', 'FAIL']);
    expect(places(found)).toEqual([['BUILD_PROBLEM', 'src/a.ts', 1, 'TS2322']]);
  });

  test('a build that is done', async () => {
    verifies('workers.builder');
    const { signal, segment, found } = await ran('Internal:RunBuilder', 'build', [NODE, '-e', 'console.log("built")']);
    expect([signal, segment.meta['outcome'], found]).toEqual(['SIGNAL:SUCCESS', 'PASS', []]);
  });
});

describe('a time limit', () => {
  const HANGS = "console.log('one\\ntwo'); console.error('waits for the database'); setInterval(() => {}, 1000);";
  const limited = (transitions: readonly object[], params = {}) => ({
    version: 1,
    commands: { test: [NODE, 'tests.mjs'] },
    nodes: {
      Main: {
        entry_block: 'A',
        blocks: { A: { worker: 'Internal:TestRunner', timeout_ms: 2_500, transitions, ...params } },
      },
    },
  });
  const hangs = async (transitions: readonly object[], params = {}, first = ''): Promise<Response> => {
    at = await durableProject({ '.vision/workflows.json': limited(transitions, params), 'tests.mjs': first + HANGS });
    const { out, err } = await at.robosmith(...RUN, '--json');
    if (out === '') throw new Error(err);
    return JSON.parse(out) as Response;
  };

  test('keeps what was said until then: in the payload and in the failure', async () => {
    verifies('workers.log-of-time-limit');
    const { success, reason, details, data, metadata } = await hangs([to('SUCCESS', 'RETURN')]);
    expect([success, reason, details['timeout_ms']]).toEqual([false, 'timeout', 2_500]);
    expect(details['output']).toBe('one\ntwo\nwaits for the database\n');
    const [segment, ...more] = data.payload;
    if (segment === undefined) throw new Error('there is no segment');
    expect([segment.type, segment.content, more]).toEqual(['TEST_RESULT', details['output'], []]);
    expect(segment.meta).toMatchObject({ outcome: 'FAIL', exit_code: null });
    expect(segment.meta['summary']).toMatch(/timed out after \d+ ms$/);
    const shown = await at.robosmith('runs', 'show', String(metadata.run_id));
    expect(shown.err).toContain('its last output:');
    expect(shown.err).toContain('| waits for the database');
  });

  test('keeps a long log as a blob as well, which the failure names', async () => {
    verifies('workers.log-of-time-limit');
    const { details, data, metadata } = await hangs([to('SUCCESS', 'RETURN')], {}, `console.log('-'.repeat(9_000));`);
    const [segment] = data.payload;
    if (segment === undefined) throw new Error('there is no segment');
    expect(blob(logOf(segment).blob).toString()).toBe(segment.content);
    expect(details['log']).toEqual(segment.meta['log']);
    const shown = await at.robosmith('runs', 'show', String(metadata.run_id));
    expect(shown.err).toContain(`its last output, all of it is in .flow/blobs/${logOf(segment).blob}:`);
    expect(shown.err).toContain('| waits for the database');
    expect(readdirSync(at.file('.flow/blobs')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('that a row or a person handles shows it as well, and a stop keeps nothing', async () => {
    verifies('workers.log-of-time-limit');
    const { data, success } = await hangs([to('SUCCESS', 'RETURN'), to('TIMEOUT', 'RETURN')]);
    expect([success, data.payload.map(({ type }) => type)]).toEqual([true, ['TEST_RESULT']]);
    await at.remove();
    const { details } = await hangs([to('FAIL_DEFAULT', 'HALT_AND_FLAG')]);
    const [halt] = details['halts'] as readonly Halt[];
    expect(halt?.last?.content).toMatch(/^timeout: .*; its last output:\none\ntwo\nwaits for the database$/);
    await at.remove();
    at = await durableProject({
      '.vision/workflows.json': limited([to('SUCCESS', 'RETURN')], { timeout_ms: 600_000 }),
      'tests.mjs': HANGS,
    });
    const running = await at.until('waits for the database', ...RUN, '--jsonl');
    running.signal('SIGINT');
    expect((await running.ended).code).toBe(0);
    const kept = readdirSync(at.file('.flow/blobs')).map((name) => blob(name).toString());
    expect(kept.filter((text) => text.startsWith('one'))).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('an engine that is killed while tests run', () => {
  /**
   * A test command that ends only on its second execution. On the first, it and its detached child ignore SIGTERM and
   * keep running.
   */
  const TESTS = `
    import { spawn } from 'node:child_process';
    import { appendFileSync, existsSync } from 'node:fs';
    const isSecond = existsSync('pids');
    appendFileSync('pids', process.pid + '\\n');
    process.on('SIGTERM', () => {});
    if (!isSecond) {
      const stays = "require('fs').appendFileSync('pids', process.pid + '\\\\n'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
      spawn(process.execPath, ['-e', stays], { detached: true, stdio: 'ignore' });
      console.log('began');
      setInterval(() => {}, 1000);
    }`;

  let orphans: readonly number[] = [];
  afterEach(() => {
    for (const pid of orphans.filter(isAlive)) process.kill(pid, 'SIGKILL');
  });

  test('leaves nothing that goes on beside the repetition: the next one ends it first', async () => {
    at = await durableProject({
      '.vision/workflows.json': one('Internal:TestRunner', { test: [NODE, 'tests.mjs'] }),
      'tests.mjs': TESTS,
    });
    const first = await at.until('began', ...RUN, '--jsonl');
    const pids = async () => (await at.read('pids').catch(() => '')).split('\n').filter(Boolean).map(Number);
    await until(async () => (await pids()).length === 2);
    orphans = await pids();
    first.signal('SIGKILL');
    await first.ended;
    expect(orphans.map(isAlive)).toEqual([true, true]);
    expect(readdirSync(at.file('.flow/processes'))).toHaveLength(1);
    const { code, err } = await at.robosmith('resume');
    expect(err).toContain('2 processes of a step were still running after a crash, and were ended');
    expect([code, orphans.map(isAlive)]).toEqual([0, [false, false]]);
    expect(await pids()).toHaveLength(3);
    expect(readdirSync(at.file('.flow/processes'))).toEqual([]);
    expect(readdirSync(at.file('.flow/blobs')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
