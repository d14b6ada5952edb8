import { decodeText } from '../parse/classify.ts';
import { readFileOnce } from '../index/read-file.ts';

/** The lines of files. Each file is read from disk once per answer. */
interface SourceLines {
  readonly of: (path: string) => readonly string[];
}

export function createSourceLines(root: string): SourceLines {
  const known = new Map<string, readonly string[]>();
  return {
    of: (path) => {
      const found = known.get(path);
      if (found !== undefined) return found;
      const read = readFileOnce(root, path);
      const lines =
        read.kind === 'read'
          ? decodeText(read.bytes)
              .split('\n')
              .map((line) => line.replace(/\r$/u, ''))
          : [];
      known.set(path, lines);
      return lines;
    },
  };
}

const MAX_LINE = 300;

/** Returns a line without its indentation, shortened to the maximum length of a result. */
export const clipLine = (line: string): string => {
  const trimmed = line.trim();
  return trimmed.length > MAX_LINE ? `${trimmed.slice(0, MAX_LINE - 1)}…` : trimmed;
};
