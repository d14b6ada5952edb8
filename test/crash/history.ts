import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { listRunIds, readRun, type Place } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { CrashCase } from './crash-cases.ts';
import { type Effect, readEffects } from './effects.ts';
import type { Conduct, Task, JobReport } from './job.ts';
import type { Pool } from './process-pool.ts';

/**
 * The plan of a history of one project folder: its runs, and the point at which each process that works on it is
 * killed.
 */
export interface Plan {
  readonly cases: readonly CrashCase[];
  readonly conduct: Conduct;
  /** The place in which the runs are executed: a store, or a complete engine with only one run. */
  readonly place: 'store' | 'engine';
  /**
   * The kill point of each process, in order. A process that doesn't reach its point finishes the job and ends the
   * history.
   */
  readonly kills: readonly number[];
}

/** The content of a run's journal after a kill. */
export interface Left {
  readonly run: RunId;
  readonly entries: readonly JournalEntry[];
}

/** The state on disk after a kill. */
export interface Wreck {
  readonly point: string;
  /** One entry per case; null if its run had not begun. */
  readonly runs: readonly (Left | null)[];
  readonly effects: readonly Effect[];
}

export interface History {
  readonly wrecks: readonly Wreck[];
  readonly end: Extract<JobReport, { readonly kind: 'done' }>;
  readonly ends: readonly (Left | null)[];
  readonly effects: readonly Effect[];
}

/** In a store, a run's id contains the number of its case. */
const taskOf = (run: RunId, cases: number): number => (cases === 1 ? 0 : Number.parseInt(run.slice(1, 3), 16));

function leftOf(place: Place, cases: number): readonly (Left | null)[] {
  const left: (Left | null)[] = Array.from({ length: cases }, () => null);
  for (const run of listRunIds(place)) {
    const reading = readRun(place, run);
    if (reading.kind === 'damaged')
      throw new Error(`${reading.file}, line ${reading.damage.line}: ${reading.damage.why}`);
    // The header of this journal was never synced, so the run has not begun.
    if (reading.kind === 'missing' || reading.run.entries.length === 0) continue;
    const task = taskOf(run, cases);
    if (left[task] !== null) throw new Error(`two runs were started for one: ${run}`);
    left[task] = { run, entries: reading.run.entries };
  }
  return left;
}

const isOver = ({ entries }: Left): boolean => entries.some(({ type }) => type === 'end');

const taskFor = ({ file }: CrashCase, left: Left | null): Task =>
  left === null ? { kind: 'start', file } : { kind: isOver(left) ? 'look' : 'resume', file, run: left.run };

/** Starts processes on a new project folder, one after the other, until one finishes the job. */
export async function playHistory(
  { cases, conduct, place: where, kills }: Plan,
  pool: Pool,
  folder: string,
): Promise<History> {
  const root = mkdtempSync(path.join(folder, 'root-'));
  const place: Place = { calls: fileCalls, folder: path.join(root, '.flow') };
  const wrecks: Wreck[] = [];
  try {
    for (let pass = 0; ; pass += 1) {
      const runs = leftOf(place, cases.length);
      const tasks = cases.map((one, index) => taskFor(one, runs[index] ?? null));
      const report = await pool.do({ place: where, root, tasks, conduct, pass, killAt: kills[pass] ?? null });
      if (report.kind === 'threw') throw new Error(report.message);
      const effects = readEffects(root);
      const left = leftOf(place, cases.length);
      if (report.kind === 'done') return { wrecks, end: report, ends: left, effects };
      wrecks.push({ point: report.point, runs: left, effects });
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
