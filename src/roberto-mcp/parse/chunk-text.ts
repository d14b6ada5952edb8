import type { SearchChunk } from './extraction.ts';
import { searchTokens } from './split-words.ts';

/** Lines of one search hit: small enough to show, large enough for words to meet. */
const CHUNK_LINES = 40;

/** Cuts a text into ranges of lines with their search tokens. Ranges without a word are left out. */
export function chunkText(lines: readonly string[]): readonly SearchChunk[] {
  const chunks: SearchChunk[] = [];
  for (let start = 0; start < lines.length; start += CHUNK_LINES) {
    const end = Math.min(lines.length, start + CHUNK_LINES);
    const tokens = searchTokens(lines.slice(start, end).join('\n'));
    if (tokens !== '') chunks.push({ startRow: start, endRow: end - 1, tokens });
  }
  return chunks;
}
