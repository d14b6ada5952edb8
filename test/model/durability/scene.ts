import { type Call, createSimulatedDisk, type SimulatedDisk, type Verdict } from '../../support/simulated-disk.ts';
import { createCountedTurns } from '../../support/counted-turns.ts';
import { FOLDER, placeOf } from './engine-place.ts';
import { lookAt } from './live-through.ts';
import { isOver, type Observation, type ObservedRun, observeRun } from './observed-run.ts';
import { openSleeps } from './open-sleeps.ts';
import { liveSession, type SessionResult } from './session.ts';
import { type Carried, createSessionClock } from './session-clock.ts';

/** A disk with runs on it, and the state that successive engines share. */
export interface Scene {
  readonly runs: readonly ObservedRun[];
  readonly disk: SimulatedDisk;
  readonly newId: (bytes: number) => string;
  now: number;
  carried: readonly Carried[];
}

export interface Session {
  readonly result: SessionResult;
  readonly warnings: readonly string[];
  readonly refusals: readonly unknown[];
  readonly calls: number;
}

/** Executes one engine until its runs have ended or `decide` ends it. */
export async function live(scene: Scene, decide: (call: Call) => Verdict): Promise<Session> {
  const { runs, disk, newId, now, carried } = scene;
  const warnings: string[] = [];
  const refusals: unknown[] = [];
  const turns = createCountedTurns();
  const process = disk.start({ decide, later: turns.nextTurn });
  const clock = createSessionClock(now, 0, carried, openSleeps(runs));
  const open = runs.filter((run) => !isOver(run));
  const result = await liveSession(open, null, {
    disk,
    process,
    clock,
    turns,
    newId,
    slow: false,
    warn: (message) => warnings.push(message),
    onRefused: (thrown) => refusals.push(thrown),
  });
  scene.now = clock.trueNow();
  scene.carried = clock.left();
  process.kill();
  return { result, warnings, refusals, calls: process.made() };
}

/** A project whose runs were interrupted earlier, so that there is something to recover. */
export interface Setting {
  readonly runs: readonly Observation[];
  /** The file call at which an earlier engine is ended; null if there was none. */
  readonly crashAt: number | null;
}

export async function prepare({ runs, crashAt }: Setting): Promise<Scene> {
  let ids = 0;
  const scene: Scene = {
    runs: runs.map(observeRun),
    disk: createSimulatedDisk([[`${FOLDER}/flow.registry.json`, Buffer.from('{}')]]),
    newId: (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'),
    now: 0,
    carried: [],
  };
  if (crashAt === null) return scene;
  await live(scene, ({ index }) => (index === crashAt ? { kind: 'crash', phase: 'half' } : { kind: 'go' }));
  lookAt(scene.runs, placeOf(scene.disk));
  return scene;
}
