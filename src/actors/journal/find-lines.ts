import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { hasTornWrite } from './torn-write.ts';
import { type ChainEnd, numberOf, openLine, safeOf } from './journal-line.ts';
import { linesOf } from './lines-of.ts';
import { type Damage, readJournal, type ReadJournal } from './read-journal.ts';
import { withoutPreallocation } from './preallocated-file.ts';
import type { SharedLines } from './shared-log.ts';

const NEWLINE = 0x0a;
const LINE_END = Buffer.from([NEWLINE]);

/** The lines of a run, in its own file and in the shared log. */
export interface RunLines {
  readonly entries: readonly JournalEntry[];
  readonly end: ChainEnd;
  readonly file: ReadJournal;
  /** Lines that exist only in the shared log. */
  readonly missing: readonly Buffer[];
  /** The number of the first line that may be in the page cache but not on disk. */
  readonly doubtful: number;
}

type FindResult =
  | { readonly ok: true; readonly found: RunLines }
  | { readonly ok: false; readonly damage: Damage; readonly before: readonly JournalEntry[] };

/**
 * Returns whether the rest of a damaged file mentions lines that exist nowhere else. After a torn write only lines
 * that had been safe count.
 */
function knowsMore(bytes: Buffer, from: number, lines: number): boolean {
  const torn = hasTornWrite(bytes, from);
  return linesOf(bytes.subarray(from)).some(
    (line) => (safeOf(line) ?? 0) > lines || (!torn && (numberOf(line) ?? 0) > lines),
  );
}

/** Returns the lines of a file as it was read, without newlines. */
const linesOfFile = ({ size }: ReadJournal, bytes: Buffer): readonly Buffer[] =>
  linesOf(bytes[size - 1] === NEWLINE ? bytes.subarray(0, size) : Buffer.concat([bytes.subarray(0, size), LINE_END]));

/**
 * Returns the lines of the shared log that continue the file; null if they don't continue it although they were
 * reported as safe. A line that exists in both places must be equal.
 */
function follow(file: ReadJournal, bytes: Buffer, shared: readonly Buffer[], isTorn: () => boolean) {
  const entries = [...file.entries];
  const missing: Buffer[] = [];
  let known: readonly Buffer[] | null = null;
  const isThere = (number: number, line: Buffer): boolean =>
    (known ??= linesOfFile(file, bytes))[number - 1]?.equals(line) ?? false;
  let { end } = file;
  let broken: string | null = null;
  let claimed = 0;
  for (const line of shared) {
    const number = numberOf(line);
    if (number !== null && number <= file.end.lines && isThere(number, line)) continue;
    const opened = openLine(line, end);
    if (!opened.ok) {
      broken ??= opened.why;
      claimed = Math.max(claimed, safeOf(line) ?? 0);
    } else {
      entries.push(opened.entry);
      missing.push(line);
      end = opened.end;
    }
  }
  const why = broken !== null && (claimed > end.lines || !isTorn()) ? broken : null;
  return { found: { entries, end, file, missing }, why };
}

/** Returns the offset of a line, or the end of the file if it has fewer lines. */
export function beginningOf(number: number, { end, size }: ReadJournal, bytes: Buffer): number {
  let at = size;
  for (let line = end.lines; line >= number && at > 0; line -= 1) at = bytes.lastIndexOf(NEWLINE, at - 2) + 1;
  return at;
}

/**
 * Returns the first line that may not be on disk in this file. Lines that the last line states as safe are on disk,
 * here or in the shared log.
 */
function firstDoubtful(file: ReadJournal, bytes: Buffer, shared: readonly Buffer[]): number {
  const { lines } = file.end;
  const last = bytes.subarray(beginningOf(lines, file, bytes), file.size);
  const safe = safeOf(last.at(-1) === NEWLINE ? last.subarray(0, -1) : last) ?? 0;
  return shared.reduce((first, line) => Math.min(first, numberOf(line) ?? first), safe + 1);
}

/** Returns the journal's lines, then those that only the shared log has. */
export function findLines(run: RunId, content: Uint8Array, shared: SharedLines): FindResult {
  const bytes = withoutPreallocation(content);
  const reading = readJournal(run, bytes);
  const file = reading.ok ? reading.journal : reading.before;
  const own = shared.lines.get(run) ?? [];
  const { found, why } = follow(file, bytes, own, shared.isTorn);
  const { entries, end, missing } = found;
  if (why !== null)
    return { ok: false, damage: { line: end.lines + 1, why: `in the shared log: ${why}` }, before: entries };
  // Lines that were not synced may be damaged in the file; the shared log then has them intact.
  const isWhole = missing.length > 0 && !knowsMore(bytes, file.size, end.lines);
  if (!reading.ok && !isWhole) return { ok: false, damage: reading.damage, before: file.entries };
  return { ok: true, found: { ...found, doubtful: firstDoubtful(file, bytes, own) } };
}
