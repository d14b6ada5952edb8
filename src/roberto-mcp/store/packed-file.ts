import type { Extraction } from '../parse/extraction.ts';
import type { LanguageName } from '../parse/languages.ts';
import { encodePositions } from './positions.ts';

/** A parse result in the format in which a parser thread sends it to the writer. */
export interface PackedFile {
  readonly key: Uint8Array;
  readonly language: LanguageName;
  readonly size: number;
  readonly extraction: Omit<Extraction, 'references'>;
  readonly names: readonly string[];
  /** The encoded positions of all names, concatenated. */
  readonly positions: Uint8Array;
  /** End offset of each name's bytes in `positions`. */
  readonly ends: Uint32Array;
}

/** Encodes a parse result for the thread that writes to the database. */
export function packFile(key: Uint8Array, language: LanguageName, size: number, extraction: Extraction): PackedFile {
  const { references, ...rest } = extraction;
  const parts = [...references.values()].map(encodePositions);
  const ends = new Uint32Array(parts.length);
  let total = 0;
  for (const [index, part] of parts.entries()) {
    total += part.length;
    ends[index] = total;
  }
  const positions = new Uint8Array(total);
  for (const [index, part] of parts.entries()) positions.set(part, (ends[index] ?? 0) - part.length);
  return { key, language, size, extraction: rest, names: [...references.keys()], positions, ends };
}
