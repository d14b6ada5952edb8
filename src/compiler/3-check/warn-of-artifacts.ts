import type { Diagnose } from '../1-parse/diagnose.ts';
import { readList, readString } from '../1-parse/json-reader.ts';
import type { KnownNames } from './known-names.ts';
import type { CheckedBlock } from './read-block.ts';

/** Artifacts that are not there: misspelt, or still to be made. */
export function warnOfArtifacts(
  { resolved: { written } }: CheckedBlock,
  { unmatchedArtifacts }: KnownNames,
  { report }: Diagnose,
): void {
  if (unmatchedArtifacts.size === 0) return;
  const single = readString(written, 'artifact');
  if (single !== null && unmatchedArtifacts.has(single))
    report('RS4007', { container: written, member: 'artifact' }, { pattern: single });
  const list = readList(written, 'artifact') ?? [];
  list.forEach((pattern, member) => {
    if (typeof pattern === 'string' && unmatchedArtifacts.has(pattern))
      report('RS4007', { container: list, member }, { pattern });
  });
}
