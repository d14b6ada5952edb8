import { createRunStore, type RunStore } from '../../src/engine/durable/run-store.ts';
import { compareFrames } from '#machines/run/compare-frames.ts';
import { createVirtualClock } from '#io/clock/virtual-clock.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Response } from '#protocol/response.ts';
import type { Run, RunPorts } from '#protocol/run.ts';
import { createCountedTurns } from './counted-turns.ts';

const EPOCH = Date.UTC(2000, 0, 1);

/** Creates a project's engine on virtual time, with the given file calls. */
export function createDurableBench(calls: FileCalls, folder: string, ids: (bytes: number) => string) {
  const clock = createVirtualClock(EPOCH, compareFrames);
  const turns = createCountedTurns();
  const warnings: string[] = [];
  const ports: RunPorts = { clock, random: () => 0.5, newId: ids, files: null, processes: null };
  const open = (claim?: string): RunStore =>
    createRunStore({
      place: { calls, folder },
      nextTurn: turns.nextTurn,
      elapsed: () => 0,
      warn: (message) => warnings.push(message),
      lastEvent: () => 0,
      ...(claim === undefined ? {} : { claim }),
    });
  /** Advances the clock until the run has ended or waits for a person. */
  const settle = async (run: Run): Promise<Response> => {
    let response: Response | null = null;
    void run.settled().then((settled) => (response = settled));
    for (;;) {
      await turns.rest();
      if (response !== null) return response;
      if (!clock.advance()) break;
    }
    await turns.rest();
    return response ?? run.settled();
  };
  return { clock, ports, open, settle, warnings, rest: turns.rest };
}
