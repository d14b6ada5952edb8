import type { Diagnose } from '../1-parse/diagnose.ts';
import { readList, readString } from '../1-parse/json-reader.ts';
import type { KnownNames } from './known-names.ts';
import type { CheckedBlock } from './read-block.ts';

/** Reports a warning for each key or built-in worker of a block that has no effect in this engine. */
export function warnOfIneffectiveSettings(
  { resolved: { written } }: CheckedBlock,
  { notInForce }: KnownNames,
  { report }: Diagnose,
): void {
  if (notInForce.size === 0) return;
  const worker = readString(written, 'worker');
  if (worker !== null && notInForce.has(worker))
    report('RS4008', { container: written, member: 'worker' }, { what: worker });
  for (const member of Object.keys(written))
    if (notInForce.has(member)) report('RS4008', { container: written, member }, { what: member });
}

/** Warns of artifacts that match no file: they are misspelt, or still to be created. */
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
