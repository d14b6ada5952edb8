import { readFileSync } from 'node:fs';
import { readRun, type Place } from '#actors/journal/index.ts';
import type { Clock } from '#protocol/clock.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry, ScriptData } from '#protocol/journal.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import type { Job, StoredCase, Task } from './job.ts';
import type { KillSwitch } from './kill-switch.ts';
import { type Observed, observedWorkers } from './observed-workers.ts';

export const storedCase = (file: string): StoredCase => JSON.parse(readFileSync(file, 'utf8')) as StoredCase;

export function entriesOf(place: Place, task: Task): readonly JournalEntry[] {
  const reading = task.kind === 'start' ? null : readRun(place, task.run);
  return reading?.kind === 'read' ? reading.run.entries : [];
}

/**
 * Returns the answers for blocks that a person completes. The engine itself handles these blocks, so no test worker
 * replaces them.
 */
function answersForPersons({ graph }: StoredCase, { answers }: ScriptData): Script['answers'] {
  const manual = graph.nodes.flatMap(({ blocks }) =>
    blocks.filter(({ worker }) => BUILT_IN_WORKERS.get(worker)?.manual === true).map(({ id }): string => id),
  );
  return new Map(Object.entries(answers).filter(([block]) => manual.includes(block)));
}

export interface Starting {
  readonly job: Job;
  readonly index: number;
  readonly stored: StoredCase;
  /** The journal entries that the run had when this process began; empty for a new run. */
  readonly entries: readonly JournalEntry[];
  /** The run's id, if the script contains it; otherwise null. */
  readonly run: RunId | null;
  readonly reach: KillSwitch['reach'];
  readonly clock: Clock;
}

export interface Started {
  readonly observed: Observed;
  /** The options for a new run. */
  readonly options: RunOptions;
}

export function prepare({ job, index, stored, entries, run, reach, clock }: Starting): Started {
  const { graph, start, input, stepMode } = stored;
  const text = JSON.stringify(stored.script);
  const data = JSON.parse(run === null ? text : text.replaceAll('{run}', run)) as ScriptData;
  const script: Script = { answers: new Map(Object.entries(data.answers)), halts: data.halts };
  const { root, conduct } = job;
  const observed = observedWorkers({ root, task: index, graph, script, entries, conduct, reach, clock });
  return {
    observed,
    options: {
      start,
      stepMode,
      ...observed,
      script: { answers: answersForPersons(stored, data), halts: script.halts },
      ...(input === null ? {} : { input }),
    },
  };
}
