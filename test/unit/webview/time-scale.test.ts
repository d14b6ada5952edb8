import { expect, test } from 'vitest';
import type { Visit } from '../../../src/protocol/generated/view.gen.ts';
import { projectPast } from '../../../webview-ui/src/model/project-past.ts';
import { restsOf, workBefore } from '../../../webview-ui/src/model/rests.ts';
import { timeScale } from '../../../webview-ui/src/parts/time-scale.ts';
import { runningWorkflow } from '../../webview/state-fixture.ts';

const visit = (block: string, more: Partial<Visit>): Visit => ({
  ...(runningWorkflow().visits[0] as Visit),
  id: block,
  block,
  visit: 1,
  frame: '/',
  calls: false,
  waits: [],
  ...more,
});

const HOUR = 3_600_000;
/** Work of ten seconds, a gate that waited for an hour, and work of ten more seconds. */
const GATED: readonly Visit[] = [
  visit('Main__Write', { step: 1, from: 0, to: 10_000 }),
  visit('Main__Check', { step: 2, from: 10_000, to: HOUR + 20_000, waits: [{ from: 10_000, to: HOUR + 10_000 }] }),
];

test('the rests of a run are its waits and its gaps', () => {
  expect(restsOf(GATED, HOUR + 20_000)).toEqual([[10_000, HOUR + 10_000]]);
  const resumed = visit('Main__Ship', { step: 3, from: 2 * HOUR, to: null });
  expect(restsOf([...GATED, resumed], 2 * HOUR + 5)).toEqual([
    [10_000, HOUR + 10_000],
    [HOUR + 20_000, 2 * HOUR],
  ]);
  expect(restsOf(GATED, 5000)).toEqual([]);
  expect(restsOf([], 5000)).toEqual([]);
});

test('a wait is no rest while another branch works', () => {
  const branch = visit('Other__Work', { step: null, frame: '/Main__Fork#1[1]', from: 0, to: null });
  expect(restsOf([...GATED, branch], HOUR)).toEqual([]);
});

test('a caller does not work while its callee waits', () => {
  const caller = visit('Main__Call', { step: 1, from: 0, to: null, calls: true });
  const callee = visit('Fix__Ask', {
    step: null,
    frame: '/Main__Call#1',
    from: 10,
    to: null,
    waits: [{ from: 20, to: null }],
  });
  expect(restsOf([caller, callee], 100)).toEqual([[20, 100]]);
});

test('a rest takes a small part of the timeline, and each place leads back to its time', () => {
  const scale = timeScale(GATED, 0, HOUR + 20_000);
  // The rest takes 8 % of 20 s of work.
  const width = 20_000 + 1600;
  expect(scale.placeOf(0)).toBe(0);
  expect(scale.placeOf(10_000)).toBeCloseTo(10_000 / width, 10);
  expect(scale.placeOf(HOUR + 10_000)).toBeCloseTo(11_600 / width, 10);
  expect(scale.placeOf(HOUR + 20_000)).toBe(1);
  for (const time of [0, 4000, 10_000, HOUR, HOUR + 15_000, HOUR + 20_000])
    expect(scale.timeAt(scale.placeOf(time))).toBeCloseTo(time, 3);
});

test('without rests, places are proportional to times', () => {
  const scale = timeScale([visit('Main__Write', { step: null, from: 100, to: null })], 100, 300);
  expect([100, 150, 300].map(scale.placeOf)).toEqual([0, 0.25, 1]);
});

test('the elapsed time of a past step leaves the waits out, as that of the live run does', () => {
  expect(workBefore(GATED, HOUR + 20_000)).toBe(20_000);
  const past = projectPast(GATED, 2, () => 'Main');
  expect(past?.totals.elapsedMs).toBe(20_000);
  expect(past?.blocks.map(({ block, durationMs }) => [block, durationMs])).toEqual([
    ['Main__Write', 10_000],
    ['Main__Check', 10_000],
  ]);
});
