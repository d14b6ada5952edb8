import { cargoTestReader } from './cargo-test.ts';
import { eslintTextReader, genericReader, rustcReader, tscReader } from './compilers.ts';
import { documentReader } from './documents.ts';
import type { LineReader, Report } from './finding.ts';
import { goTestJsonReader, goTestReader } from './go-test.ts';
import { jestTextReader } from './jest-text.ts';
import { mochaTextReader } from './mocha-text.ts';
import { nodeCrashReader } from './node-crashes.ts';
import { nodeSpecReader } from './node-spec.ts';
import { relativeTo } from './place.ts';
import { pytestReader } from './pytest.ts';
import { LONGEST_LINE, splitLines } from './split-lines.ts';
import { tapReader } from './tap.ts';
import { vitestTextReader } from './vitest-text.ts';

const COMPILERS = [tscReader, rustcReader, genericReader];

/**
 * The readers for each kind of command, in order of precedence. If several readers recognise the output, the first one
 * with findings is used.
 */
const READERS = {
  test: [
    ...[documentReader, goTestJsonReader, tapReader, nodeSpecReader, vitestTextReader, jestTextReader],
    ...[mochaTextReader, cargoTestReader, pytestReader, goTestReader, nodeCrashReader, ...COMPILERS],
  ],
  lint: [documentReader, eslintTextReader, ...COMPILERS],
  build: [documentReader, ...COMPILERS, eslintTextReader],
} as const;

export type ReportKind = keyof typeof READERS;

/** Maximum number of output characters that are parsed. The rest is only in the stored log. */
const MOST_READ = 64 * 1024 * 1024;
const MOST_LINES = 2_000_000;

const hasFindings = ({ found }: Report): boolean => found.errors + found.warnings > 0;

const located = ({ findings, ...report }: Report, root: string): Report => {
  const local = relativeTo(root);
  return { ...report, findings: findings.map((one) => (one.file === null ? one : { ...one, file: local(one.file) })) };
};

/**
 * Creates a reader that extracts findings from a command's output while it arrives, in one pass and with bounded
 * memory.
 */
export function readReport(kind: ReportKind, root: string) {
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
      const chosen = reports.find(hasFindings) ?? reports[0];
      return chosen === undefined ? null : located(chosen, root);
    },
  };
}
