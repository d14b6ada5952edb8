import { expect, test } from 'vitest';
import type { Processes, ProcessEnd, ProcessResult, Services } from '#protocol/services.ts';
import { endedBefore, recorded } from '#workers/commands/completion.ts';
import { verifies } from '../../../e2e/verifies.ts';

const REQUEST = { argv: ['x'], cwd: '/' } as const;
const EXITED: ProcessResult = { exitCode: 0, output: 'né', durationMs: 5, ended: 'exited', error: null };

const world = (result: ProcessResult, known: ProcessEnd | null = null) => {
  const kept: ProcessEnd[] = [];
  const logged: string[] = [];
  const processes: Processes = {
    run: (_request, _signal, _onOutput, onBytes) => {
      onBytes?.(new TextEncoder().encode(result.output));
      return Promise.resolve(result);
    },
  };
  const logs: Services['logs'] = {
    open: () => ({
      add: (bytes) => void logged.push(new TextDecoder().decode(bytes)),
      keep: () => Promise.resolve({ blob: 'b', bytes: 3, left_out: 0 }),
      discard: () => undefined,
    }),
  };
  const completion = { keep: (end: ProcessEnd) => void kept.push(end), recall: () => known };
  return { kept, logged, services: { processes, logs, completion } as unknown as Services };
};

test.each([
  [EXITED, [{ exitCode: 0, output: 'né', durationMs: 5, bytes: 3 }]],
  [{ ...EXITED, ended: 'killed', exitCode: null }, []],
  [{ ...EXITED, ended: 'timed_out', exitCode: null }, []],
  [{ ...EXITED, ended: 'not_started', exitCode: null }, []],
] as const)('of %j is kept %j', async (result, ends) => {
  verifies('workers.contract.completion-record');
  const { kept, services } = world(result);
  expect(await recorded(services).run(REQUEST, new AbortController().signal)).toBe(result);
  expect(kept).toEqual(ends);
});

test('of one that was stopped nothing is kept', async () => {
  const { kept, services } = world(EXITED);
  await recorded(services).run(REQUEST, AbortSignal.abort());
  expect(kept).toEqual([]);
});

test('the log is made again from what is known in full, and said to be lost otherwise', async () => {
  const end = { exitCode: 1, output: 'né', durationMs: 5 };
  const whole = world(EXITED, { ...end, bytes: 3 });
  expect(await endedBefore(whole.services)).toEqual({
    result: { ...end, ended: 'exited', error: null },
    log: { log: { blob: 'b', bytes: 3, left_out: 0 } },
    unfinished: {},
  });
  expect(whole.logged).toEqual(['né']);
  const part = world(EXITED, { ...end, bytes: 4_000 });
  expect((await endedBefore(part.services))?.log).toEqual({
    log_problem: 'the engine was killed before the whole log was saved',
  });
  expect(part.logged).toEqual([]);
  expect(await endedBefore(world(EXITED).services)).toBe(null);
});
