import { projectRuns } from '#engine/index.ts';
import type { StartOutcome, ResumeParams } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';

interface AdoptTimedParts {
  /** Absolute path of the project. */
  readonly root: string;
  readonly hosted: Pick<HostedRuns, 'find'>;
  readonly log: (message: string) => void;
  readonly isStopping: () => boolean;
}

/**
 * Returns the runs with a halt that ends at a certain time. Runs that only wait for a person are loaded when their halt
 * is answered.
 */
const timedRuns = (root: string): readonly RunId[] =>
  projectRuns(root).flatMap((listing) => {
    if (listing.kind !== 'run' || listing.summary.status !== 'halted') return [];
    return listing.summary.halts.some(({ until }) => until !== null) ? [listing.run] : [];
  });

/** Schedules every run that waits for a time. A run that fails to load is logged, and does not affect the others. */
export async function adoptTimed(
  resume: (params: ResumeParams) => Promise<StartOutcome>,
  { root, hosted, log, isStopping }: AdoptTimedParts,
): Promise<void> {
  const lost = (run: RunId, why: string): void =>
    log(`${run} waits for a time and could not be scheduled (${why}); continue it with robosmith resume ${run}`);
  for (const run of quietly(() => timedRuns(root), log)) {
    if (isStopping()) return;
    if (hosted.find(run) !== null) continue;
    try {
      const begun = await resume({ run, retry: false, guidance: null, manifest: null });
      if (begun.ok) continue;
      const { message } = begun.refusal.details;
      lost(run, typeof message === 'string' ? message : (begun.refusal.reason ?? 'refused'));
    } catch (thrown) {
      lost(run, messageOf(thrown));
    }
  }
}

function quietly(list: () => readonly RunId[], log: (message: string) => void): readonly RunId[] {
  try {
    return list();
  } catch (thrown) {
    log(messageOf(thrown));
    return [];
  }
}
