import type { CrashCase } from './crash-cases.ts';
import { type History, playHistory } from './history.ts';
import type { Conduct, RunReport } from './job.ts';
import type { Pool } from './process-pool.ts';
import { stableResponse } from './stable.ts';

/** The outcome of a run that is not killed, in the same kind of process and with the same workers. */
export interface Reference {
  readonly report: RunReport;
  readonly history: History;
}

export type FindReference = (one: CrashCase, conduct: Conduct) => Promise<Reference>;

/** Checks that a run with the test's own workers and process has the same outcome as `simulate`. */
async function compare(one: CrashCase, { response }: RunReport): Promise<void> {
  const simulated = stableResponse(await one.simulated());
  if (simulated !== response) throw new Error(`${one.id} is simulated as\n${simulated}\nand came to\n${response}`);
}

/** Returns a function that runs a case with a conduct at the first request and caches the outcome. */
export function createReferences(pool: Pool, folder: string): FindReference {
  const known = new Map<string, Promise<Reference>>();
  const make = async (one: CrashCase, conduct: Conduct): Promise<Reference> => {
    const history = await playHistory({ cases: [one], conduct, place: 'store', kills: [] }, pool, folder);
    const [report] = history.end.runs;
    if (report === undefined) throw new Error(`${one.id}: nothing was reported`);
    if (conduct === 'as_scripted') await compare(one, report);
    return { report, history };
  };
  return (one, conduct) => {
    const key = `${conduct} ${one.id}`;
    const made = known.get(key) ?? make(one, conduct);
    known.set(key, made);
    return made;
  };
}
