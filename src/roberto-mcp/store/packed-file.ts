import type { Extraction } from '../parse/extraction.ts';
import type { LanguageName } from '../parse/languages.ts';
import { encodePositions } from './positions.ts';

/** An extraction as it travels from a parser thread to the writer. */
export interface PackedFile {
  readonly key: Uint8Array;
  readonly language: LanguageName;
  readonly size: number;
  readonly extraction: Omit<Extraction, 'references'>;
  readonly names: readonly string[];
  /** Positions of all names, one after the other. */
  readonly positions: Uint8Array;
  /** End of each name's positions. */
  readonly ends: Uint32Array;
}

/** Prepares an extraction for the writer. */
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
