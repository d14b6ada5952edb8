import { RoboSmithError } from '#protocol/error.ts';
import { ageText } from '../print/time-text.ts';
import { fail, ok } from './check.ts';
import type { Check } from '../print/json-documents.ts';

/** Checks which process owns the project's engine, and that every journal can be read. */
export async function checkEngine(root: string | null): Promise<readonly Check[]> {
  if (root === null) return [];
  const { engineOwner, projectRuns, runDetails } = await import('#engine/index.ts');
  const owner = engineOwner(root);
  const listings = projectRuns(root);
  const damaged = listings.flatMap((listing): readonly Check[] => {
    if (listing.kind === 'damaged')
      return [broken(listing.run, `${listing.file}, line ${listing.line}: ${listing.why}`, listing.steps)];
    try {
      runDetails(root, listing.run);
      return [];
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'corrupt_state')) throw thrown;
      return [broken(listing.run, thrown.message, 0)];
    }
  });
  const count = `${listings.length} ${listings.length === 1 ? 'run' : 'runs'}`;
  return [
    owner === null
      ? ok('engine', 'no process runs the engine')
      : ok(
          'engine',
          `process ${owner.pid} on ${owner.host} has been running the engine for ${ageText(owner.since, Date.now())}`,
        ),
    ...(damaged.length > 0
      ? damaged
      : [ok('runs', listings.length === 0 ? 'no runs yet' : `${count}, all can be read`)]),
  ];
}

const broken = (run: string, message: string, steps: number): Check =>
  fail(
    'runs',
    `the run ${run} is damaged: ${message}`,
    `Restore the file from a backup${steps === 0 ? '' : `, or type \`robosmith runs fork ${run}@${steps}\` to start again from its last readable step`}; otherwise move its folder away.`,
  );
