import type { GraphDifference } from '#engine/authoring.ts';
import { isFinal } from '#protocol/run-status.ts';
import type { RunListing } from '#protocol/run-summary.ts';
import type { AffectedRun } from '../print/json-documents.ts';

/** The note that accompanies a list of affected runs. */
export const KEEPS_MANIFEST =
  'A run keeps the manifest that it was started with until it is resumed with --manifest new.';

const idsOf = (differences: readonly GraphDifference[], subject: string): ReadonlySet<string> =>
  new Set(differences.filter((one) => one.subject === subject).map(({ id }) => id));

const TEXT: Readonly<Record<AffectedRun['touches'], string>> = {
  block: 'it is at a block that changes',
  node: 'it is in a node that changes',
  elsewhere: 'only other parts of the workflow change',
};

/**
 * Returns the runs of a project that have not ended, and whether their current blocks differ between two manifests. A
 * run keeps the manifest that it was started with until it is resumed with `--manifest new`.
 */
export function affectedRuns(
  listings: readonly RunListing[],
  differences: readonly GraphDifference[],
): readonly AffectedRun[] {
  if (differences.length === 0) return [];
  const blocks = idsOf(differences, 'block');
  const nodes = new Set([...idsOf(differences, 'node'), ...[...blocks].map((id) => id.split('__')[0] ?? id)]);
  return listings.flatMap((listing): readonly AffectedRun[] => {
    if (listing.kind !== 'run' || isFinal(listing.summary.status)) return [];
    const { run, frames, status } = listing.summary;
    const touches = frames.some(({ block }) => blocks.has(block))
      ? 'block'
      : frames.some(({ node }) => nodes.has(node))
        ? 'node'
        : 'elsewhere';
    const at = frames.map(({ block }) => block);
    return [{ run, blocks: at, touches, text: `(${status}, at ${at.join(', ')}): ${TEXT[touches]}` }];
  });
}
