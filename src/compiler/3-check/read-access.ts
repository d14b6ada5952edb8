import type { Access } from '#protocol/graph.ts';
import { readList, readObject, readString, strings } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';

/** Paths or globs of the block's artifact; one alone may be written without a list. */
export function readArtifact({ written }: ResolvedBlock): readonly string[] {
  const single = readString(written, 'artifact');
  return single === null ? strings(readList(written, 'artifact')) : [single];
}

const isMode = (text: string | null): text is Access['mode'] =>
  text === 'strict' || text === 'partial' || text === 'shared';

/** Where the block may write; by default its artifact and the change plan (spec/workers.md "Who may write where"). */
export function readAccess(block: ResolvedBlock): Access {
  const written = readObject(block.written, 'access');
  const mode = written === null ? null : readString(written, 'mode');
  const paths = written === null ? null : readList(written, 'paths');
  const known = isMode(mode) ? mode : 'partial';
  return paths === null
    ? { mode: known, paths: readArtifact(block), ...(known === 'partial' && written !== null ? { isGiven: true } : {}) }
    : { mode: known, paths: strings(paths), isListed: true };
}
