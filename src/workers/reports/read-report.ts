import { cargoTestReader } from './cargo-test.ts';
import { eslintTextReader, genericReader, rustcReader, tscReader } from './compilers.ts';
import { eslintJsonReader } from './eslint-json.ts';
import type { LineReader, Report } from './finding.ts';
import { goTestReader } from './go-test.ts';
import { LONGEST_LINE, splitLines } from './split-lines.ts';
import { tapReader } from './tap.ts';

const COMPILERS = [tscReader, rustcReader, genericReader];

/**
 * The readers for each kind of command, in order of precedence. If several readers recognise the output, the first one
 * with findings is used.
 */
const READERS = {
  test: [goTestReader, tapReader, cargoTestReader, ...COMPILERS],
  lint: [eslintJsonReader, eslintTextReader, ...COMPILERS],
  build: [...COMPILERS, eslintTextReader],
} as const;

export type ReportKind = keyof typeof READERS;

/** Maximum number of output characters that are parsed. The rest is only in the stored log. */
const MOST_READ = 64 * 1024 * 1024;
const MOST_LINES = 2_000_000;

const hasFindings = ({ found }: Report): boolean => found.errors + found.warnings > 0;

/**
 * Creates a reader that extracts findings from a command's output while it arrives, in one pass and with bounded
 * memory.
 */
export function readReport(kind: ReportKind) {
  const readers: readonly LineReader[] = READERS[kind].map((make) => make());
  let left = MOST_LINES;
  const lines = splitLines((line) => {
    left -= 1;
    if (left < 0) return;
    const short = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
    for (const reader of readers) reader.line(reader.isLong === true ? line : short);
  });
  let room = MOST_READ;
  return {
    add: (text: string): void => {
      if (room > 0) lines.add(text.length <= room ? text : text.slice(0, room));
      room -= text.length;
    },
    /** Returns the report, or null if the output has no known format. */
    end: (): Report | null => {
      lines.end();
      const reports = readers.flatMap((reader) => reader.report() ?? []);
      return reports.find(hasFindings) ?? reports[0] ?? null;
    },
  };
}
