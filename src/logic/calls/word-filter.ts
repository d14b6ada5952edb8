// A Bloom filter of the words of one call: a word that it lacks does not occur in the call.

/** Bits per distinct word, and bits set for each: a word that does not occur is found in about 1 of 150 filters. */
const [BITS_PER_WORD, BITS_SET] = [12, 4] as const;

const LEAST_BITS = 64;

const WORD = /[\p{L}\p{N}_]+/gu;

/** Returns the distinct words of a text in lower case. */
export const wordsIn = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(WORD) ?? []);

export interface HashedWord {
  readonly first: number;
  readonly second: number;
}

/** Returns two hashes of a word (FNV-1a, and its bits mixed once more), from which its bits in any filter follow. */
export function hashWord(word: string): HashedWord {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01_00_01_93);
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return { first: hash >>> 0, second: ((mixed ^ (mixed >>> 16)) | 1) >>> 0 };
}

const bitOf = ({ first, second }: HashedWord, turn: number, bits: number): number => (first + turn * second) % bits;

/** Creates the filter of these words. */
export function makeWordFilter(words: ReadonlySet<string>): Uint8Array {
  const bytes = Math.ceil(Math.max(LEAST_BITS, words.size * BITS_PER_WORD) / 8);
  const filter = new Uint8Array(bytes);
  for (const word of words) {
    const hashed = hashWord(word);
    for (let turn = 0; turn < BITS_SET; turn += 1) {
      const bit = bitOf(hashed, turn, bytes * 8);
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** Returns whether all words may be in the filter that these bytes hold. */
export function mayContain(bytes: Uint8Array, from: number, length: number, words: readonly HashedWord[]): boolean {
  for (const word of words)
    for (let turn = 0; turn < BITS_SET; turn += 1) {
      const bit = bitOf(word, turn, length * 8);
      if (((bytes[from + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
  return true;
}
