import { runDetails } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { Session } from '#protocol/session.ts';
import { isOfDo } from '../names/do-folder.ts';
import { isReady } from './do-run.ts';

/**
 * Accepts the work of a task that waits for nothing but the person's decision, which a person makes by landing it. Does
 * nothing for any other session: a merge then says what its run still waits for.
 */
export async function acceptWork({ job, runs }: Session, client: HostClient, root: string): Promise<void> {
  const run = runs.at(-1);
  if (run === undefined || !isOfDo(job?.manifest ?? null)) return;
  const [halt, ...others] = runDetails(root, run)?.listing.summary.halts ?? [];
  if (halt === undefined || others.length > 0 || !isReady(halt)) return;
  const answered = await client.call('run.answer', { run, halt: halt.halt_id, answer: { verb: 'proceed' } });
  if (!answered.accepted)
    throw new RoboSmithError(
      'wrong_state',
      answered.message ?? 'The work could not be accepted; it may have changed.',
      {
        next: [`robosmith resume ${run}`],
      },
    );
  await client.call('run.settled', { run });
}
