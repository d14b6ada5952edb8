import type { SearchChunk } from './extraction.ts';
import { searchTokens } from './split-words.ts';

/**
 * Number of lines per search chunk: small enough to show as a hit, large enough for the words of a query to occur
 * together.
 */
const CHUNK_LINES = 40;

/** Splits a text into chunks of lines with their search tokens. Chunks without words are left out. */
export function chunkText(lines: readonly string[]): readonly SearchChunk[] {
  const chunks: SearchChunk[] = [];
  for (let start = 0; start < lines.length; start += CHUNK_LINES) {
    const end = Math.min(lines.length, start + CHUNK_LINES);
    const tokens = searchTokens(lines.slice(start, end).join('\n'));
    if (tokens !== '') chunks.push({ startRow: start, endRow: end - 1, tokens });
  }
  return chunks;
}
