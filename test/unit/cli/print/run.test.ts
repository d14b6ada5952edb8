import { afterEach, expect, test, vi } from 'vitest';
import { printRun } from '#cli/print/run.ts';
import { sampleGraph } from '../../compiler-export/sample-graph.ts';
import { fakeIo } from '../../../support/fake-io.ts';

afterEach(() => vi.useRealTimers());

const BEGAN = 1_000_000;

/** Prints a run 90 seconds after its start. Its last entry was written in the first second. */
function printed(status: string, columns?: number): string {
  vi.useFakeTimers({ now: BEGAN + 90_000 });
  const io = fakeIo({ terminal: columns !== undefined, env: { NO_COLOR: '1' } });
  if (columns !== undefined) vi.spyOn(io.stdout, 'columns').mockReturnValue(columns);
  const times = { started_at: BEGAN, updated_at: BEGAN + 500 };
  const summary = { run: 'r1', status, node: 'Main', block: 'Main__A', steps: 0, forked_from: null, ...times };
  const header = { started: { start: { node: 'Main' }, source: null, input: null, script: null } };
  const details = { listing: { run: 'r1', summary }, header, directory: null, path: [], graph: sampleGraph({}) };
  printRun('/project', details as never, { response: null, spent: { tokens: 12, microUsd: 3_100, atLeast: true } }, io);
  return io.out();
}

test('a run that is under way takes until now; one that is not took until its last line', () => {
  expect(printed('running')).toContain('running  0 steps · 1m 30s · began 1m ago · 12 tokens, at least $0.003100');
  expect(printed('halted')).toContain('halted  0 steps · 0.5s · began 1m ago');
});

test('no line is wider than a narrow terminal', () => {
  const lines = printed('halted', 30).split('\n');
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(lines[0]).toBe('■ Main  r1  halted  0 steps ·');
});
