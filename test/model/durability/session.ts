import { createRunStore, type RunStore } from '#engine/durable/run-store.ts';
import type { RunPorts } from '#protocol/run.ts';
import { companionsOf } from './companions.ts';
import { FOLDER } from './engine-place.ts';
import { answerHalts, type LiveRun, liveRun, watch } from './live-run.ts';
import type { ObservedRun } from './observed-run.ts';
import type { SessionEnd } from './scenario.ts';
import type { SessionParts } from './session-parts.ts';

/** How a session ended. `over`: all its runs have ended or wait for a person. */
export type SessionResult = 'over' | 'died' | 'stopped' | 'refused';

function openStore({ process, turns, warn, slow }: SessionParts): RunStore {
  let elapsed = 0;
  return createRunStore({
    place: { calls: process.calls, folder: FOLDER },
    nextTurn: turns.nextTurn,
    elapsed: () => (slow ? (elapsed += 10) : 0),
    warn,
    lastEvent: () => 0,
  });
}

function begin(observed: ObservedRun, store: RunStore, parts: SessionParts): LiveRun {
  const { clock, newId } = parts;
  const ports: RunPorts = {
    clock: clock.clockOf(observed.index),
    random: () => 0.5,
    newId,
    files: null,
    processes: null,
  };
  const companions = companionsOf(observed, parts);
  const reach = observed.own ? 'where_it_answers' : 'all';
  const run =
    observed.id === null
      ? store.start(observed.workflow, { ...observed.options, ...companions }, ports, null, reach)
      : store.resume(observed.id, companions, ports, { reach });
  observed.id = run.id;
  return liveRun(observed, run);
}

function beginAll(runs: readonly ObservedRun[], store: RunStore, parts: SessionParts): readonly LiveRun[] {
  return runs.flatMap((observed) => {
    try {
      return [begin(observed, store, parts)];
    } catch (thrown) {
      if (!parts.process.isAlive()) throw thrown;
      parts.onRefused(thrown);
      return [];
    }
  });
}

const isDue = (end: SessionEnd | null, turn: number): boolean =>
  end !== null && end.kind !== 'crash' && end.at === turn;

function stop(lives: readonly LiveRun[], end: SessionEnd): void {
  // If a run has forks, the session interrupts it instead of pausing it: a pause would let some branches finish their
  // step while others wait, which changes the order of the branches.
  const pauses = end.kind === 'pause' && !lives.some(({ observed }) => observed.forks);
  for (const { run } of lives) {
    if (pauses) run.pause();
    else run.interrupt();
  }
}

async function drive(lives: readonly LiveRun[], end: SessionEnd | null, parts: SessionParts): Promise<SessionResult> {
  const { process, clock, turns } = parts;
  let stopping = false;
  for (let turn = 0; ; turn += 1) {
    await turns.rest();
    if (end?.kind === 'kill' && isDue(end, turn)) process.kill();
    if (!process.isAlive()) return 'died';
    if (end !== null && isDue(end, turn)) {
      stopping = true;
      stop(lives, end);
      continue;
    }
    if (stopping && lives.every(({ settled }) => settled)) return 'stopped';
    if (!stopping && lives.map((live) => answerHalts(live, parts)).includes(true)) continue;
    if (!clock.advance()) break;
  }
  const hanging = lives.filter(({ settled }) => !settled);
  if (hanging.length > 0) throw new RangeError(`${hanging.map(({ run }) => run.id).join(', ')} hangs`);
  return 'over';
}

/**
 * Executes one session: opens the engine, starts or resumes the runs, and continues until they end or the session's
 * planned end.
 */
export async function liveSession(
  runs: readonly ObservedRun[],
  end: SessionEnd | null,
  parts: SessionParts,
): Promise<SessionResult> {
  const { process, turns } = parts;
  try {
    const store = openStore(parts);
    const lives = beginAll(runs, store, parts);
    for (const live of lives) watch(live, parts);
    const result = await drive(lives, end, parts);
    if (result === 'died') return result;
    for (const { run } of lives) run.release();
    store.close();
    return process.isAlive() ? result : 'died';
  } catch (thrown) {
    if (!process.isAlive()) return 'died';
    parts.onRefused(thrown);
    return 'refused';
  } finally {
    await turns.rest();
  }
}
