import { afterEach, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { chain, type DurableProject, durableProject, RUN } from './durable.ts';
import { NODE, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

const response = (text: string): Response => JSON.parse(text) as Response;

const EVIDENCE = [{ command: [NODE, 'work.mjs', 'proof'] }, { file: 'ran', contains: 'A' }];

/** Returns a manifest in which the evidence of block A must hold before block B is entered. */
const proven = (rows: readonly object[], evidence: readonly object[] = EVIDENCE) =>
  chain({ blocks: { A: { worker: 'Worker:A', evidence, transitions: [to('SUCCESS', 'RETURN'), ...rows] } } });

test('a success counts when the engine has seen its evidence', async () => {
  verifies('decisions.run-semantics.30', 'decisions.run-semantics.33');
  at = await durableProject({ '.vision/workflows.json': proven([]) });
  const { code, out } = await at.robosmith(...RUN, '--json');
  expect(code).toBe(0);
  const checks = response(out).path.map(({ evidence }) => evidence?.map(({ check, held }) => [check, held]));
  expect(checks).toEqual([
    [
      [`${NODE} work.mjs proof`, true],
      ['file ran with "A"', true],
    ],
  ]);
  expect(await at.ran()).toEqual(['A', 'proof']);
  const shown = await at.robosmith('runs', 'show', (await at.newest()).run);
  expect(shown.out).toMatch(/A +SUCCESS +→ return.*evidence passed/);
});

test('a success without it fails with evidence_failed, and says why; --retry does it again', async () => {
  verifies('decisions.run-semantics.31', 'decisions.run-semantics.32');
  at = await durableProject({ '.vision/workflows.json': proven([]), 'fail-proof': '' });
  const { code, err } = await at.robosmith(...RUN);
  expect(code).toBe(1);
  expect(err).toContain('evidence_failed');
  expect(err).toMatch(
    /Main__A returned SIGNAL:SUCCESS, but the check of its evidence failed: .*work\.mjs proof exited with 1/,
  );
  expect(err).toContain('  | proof said it');
  const { run, ...listing } = await at.newest();
  expect(listing).toMatchObject({
    summary: { status: 'failed', reason: 'evidence_failed', evidence: { held: 0, failed: 1 } },
  });
  expect(err).toContain(`robosmith resume ${run} --retry`);
  const shown = await at.robosmith('runs', 'show', run);
  expect(shown.out).toMatch(/A +ERROR.*evidence failed: .*work\.mjs proof/);
  await at.unlink('fail-proof');
  const again = await at.robosmith('resume', run, '--retry', '--json');
  expect([again.code, response(again.out).success]).toEqual([0, true]);
  expect(await at.ran()).toEqual(['A', 'proof', 'A', 'proof']);
});

test('where the table halts, it waits for a person who sees the log', async () => {
  verifies('decisions.run-semantics.32');
  at = await durableProject({
    '.vision/workflows.json': proven([to('FAIL_DEFAULT', 'HALT_AND_FLAG')]),
    'fail-proof': '',
  });
  const { code, err } = await at.robosmith(...RUN);
  expect(code).toBe(3);
  expect(err).toContain('Main__A waits for a person after SIGNAL:ERROR: the check of its evidence failed.');
  expect(err).toContain('Its last output (EVIDENCE_FAILED):');
  const { out } = await at.robosmith('inbox', '--json');
  expect(JSON.parse(out)).toMatchObject({
    waiting: [{ why: 'evidence', last: { type: 'EVIDENCE_FAILED', content: 'proof said it\n', scripted: false } }],
  });
  expect((await at.robosmith('inbox')).out).toContain('  | proof said it\n');
});

test('a scripted success has to show its evidence in a real run, and in a simulated one nothing is executed', async () => {
  verifies('decisions.run-semantics.33');
  at = await durableProject({
    '.vision/workflows.json': proven([]),
    's.json': { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
  });
  const real = await at.robosmith(...RUN, '--script', 's.json', '--json');
  expect(response(real.out)).toMatchObject({
    reason: 'evidence_failed',
    details: { evidence: [{ check: 'file ran with "A"' }] },
  });
  expect(await at.ran()).toEqual(['proof']);
  const simulated = await at.robosmith('simulate', 'Main', '--script', 's.json', '--json');
  expect(response(simulated.out)).toMatchObject({
    success: true,
    path: [{ evidence: [{ held: true }, { held: true }] }],
  });
  await at.write('s.json', { '*': [{ signal: 'SIGNAL:SUCCESS', evidence_fails: 'red' }] });
  const failed = await at.robosmith('simulate', 'Main', '--script', 's.json', '--json');
  expect(response(failed.out)).toMatchObject({ reason: 'evidence_failed' });
  expect(await at.ran()).toEqual(['proof']);
});

test('every look is an event', async () => {
  verifies('cli.jsonl.events');
  at = await durableProject({ '.vision/workflows.json': proven([]), 'fail-proof': '' });
  const { out } = await at.robosmith(...RUN, '--jsonl');
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RoboSmithEvent);
  expect(events.flatMap((event) => (event.type === 'evidence.checked' ? [[event.block, event.held]] : []))).toEqual([
    ['Main__A', false],
    ['Main__A', true],
  ]);
  expect(events.flatMap((event) => (event.type === 'block.progress' ? [event.text] : []))).toContain(
    'evidence: file ran with "A"',
  );
});
