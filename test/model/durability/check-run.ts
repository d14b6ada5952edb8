import { expect } from 'vitest';
import { readState, entriesInForce, summarise } from '#actors/journal/index.ts';
import { listRun, pathOf } from '#engine/durable/project-runs.ts';
import { replayRun } from '#engine/durable/replay-run.ts';
import type { Halt } from '#protocol/response.ts';
import { interpret } from '../../reference/interpret.ts';
import { outcomeOf } from '../../support/simulate.ts';
import { type Runner, runSide } from '../run-side.ts';
import { leavingOutCancelled } from './cancelled.ts';
import { checkJournal } from './check-journal.ts';
import { createCountedTurns } from '../../support/counted-turns.ts';
import { memoriesWithoutCuts, pathWithoutCuts } from './cut-offs.ts';
import { placeOf } from './engine-place.ts';
import type { Lived } from './live-through.ts';
import type { ObservedRun } from './observed-run.ts';

/**
 * Checks a run after its scenario: its outcome matches the naive interpreter, and its journal, state files and replay
 * agree.
 */
export async function checkRun(run: ObservedRun, { disk, died }: Pick<Lived, 'disk' | 'died'>): Promise<void> {
  const { id, response, written, memories, entries } = run;
  const place = placeOf(disk);
  if (id === null || response === null) throw new RangeError('the run was never heard of');
  checkJournal(entries);

  expect(response.path).toEqual(pathOf(entries));
  const holds = entriesInForce(entries);
  const lived: Runner = (_manifest, _start, _script, { onMemory }) => {
    for (const memory of memoriesWithoutCuts(memories.values(), holds)) onMemory?.(memory);
    return { ...outcomeOf(response), path: pathWithoutCuts(holds) };
  };
  const live = await runSide(leavingOutCancelled(lived), written);
  const naive = await runSide(leavingOutCancelled(interpret), written);
  if (naive.fingerprint !== live.fingerprint)
    expect({ ...live, fingerprint: '' }).toEqual({ ...naive, fingerprint: '' });
  expect(live.fingerprint).toBe(naive.fingerprint);

  const summary = summarise(entries);
  expect(listRun(place, id, null)).toMatchObject({ kind: 'run', summary });
  if (response.reason === 'halted') {
    expect(summary?.status).toBe('halted');
    const halts = response.details['halts'] as readonly Halt[];
    expect(summary?.halts.map(({ halt_id }) => halt_id).sort()).toEqual(halts.map(({ halt_id }) => halt_id).sort());
  }
  const isOver = entries.some(({ type }) => type === 'end');
  if (isOver && !died) expect(readState(place, id)?.summary).toEqual(summary);

  const { nextTurn } = createCountedTurns();
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const ports = { clock, random: () => 0.5, newId: () => '', files: null, processes: null, nextTurn };
  const replayed = await replayRun(place, id, ports);
  expect(replayed).toMatchObject({ kind: 'same', response: { reason: response.reason, path: response.path } });
}
