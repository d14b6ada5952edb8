import { expect, test } from 'vitest';
import { wallClock } from '#io/clock/clock.ts';
import type { Processes, Services } from '#protocol/services.ts';
import { converse } from '#workers/agent/converse.ts';

const ENDED = { ended: 'exited', exitCode: 0, output: '', durationMs: 1, error: null } as const;

function hear(run: Processes['run']) {
  const services = { clock: wallClock, logs: null, progress: () => undefined, processes: { run } } as Partial<Services>;
  const talk = { preset: null, request: { argv: ['agent'], cwd: '/' }, idleMs: 1_000_000, frame: '' } as const;
  return converse(
    { ...talk, redact: (text) => text, onSession: () => undefined },
    services as Services,
    new AbortController().signal,
  );
}

// In an earlier version, which truncated the stored text after each chunk, this took half a minute.
test('an agent that writes many lines of errors is heard at once; the last ones are kept', async () => {
  const { errors } = await hear(async (_request, _signal, _onOutput, _onBytes, onError) => {
    for (let piece = 0; piece < 100; piece += 1) onError?.('no\n'.repeat(20_000));
    onError?.('the end\n');
    return Promise.resolve(ENDED);
  });
  expect(errors.length).toBe(100_000);
  expect(errors.endsWith('no\nthe end\n')).toBe(true);
}, 10_000);
