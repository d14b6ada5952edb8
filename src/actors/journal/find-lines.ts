import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { hasHole } from './hole.ts';
import { type ChainEnd, numbersOf, openLine } from './journal-line.ts';
import { type Damage, readJournal, type ReadJournal } from './read-journal.ts';
import { readSharedLog } from './shared-log.ts';

/** What there is of a run, in its own file and in the log that runs share. */
export interface Found {
  readonly entries: readonly JournalEntry[];
  readonly end: ChainEnd;
  readonly file: ReadJournal;
  /** Lines that only the shared log has. */
  readonly missing: readonly Buffer[];
}

export type FindResult =
  | { readonly ok: true; readonly found: Found }
  | { readonly ok: false; readonly damage: Damage; readonly before: readonly JournalEntry[] };

const NEWLINE = 0x0a;

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf(NEWLINE, from);
    const until = at === -1 ? bytes.length : at;
    lines.push(bytes.subarray(from, until));
    from = until + 1;
  }
  return lines;
}

/** Does the rest of a damaged file speak of lines that nobody else has? Of what a power loss tore, only as far as it had been safe. */
function knowsMore(rest: Buffer, lines: number): boolean {
  const torn = hasHole(rest, 0);
  return linesOf(rest).some((line) => {
    const numbers = numbersOf(line);
    return numbers !== null && (numbers.s > lines || (!torn && numbers.n > lines));
  });
}

/** The lines of the shared log that follow on; null where they do not, and had been safe. */
function follow(file: ReadJournal, shared: readonly Buffer[], isTorn: () => boolean) {
  const entries = [...file.entries];
  const missing: Buffer[] = [];
  let { end } = file;
  let broken: string | null = null;
  let claimed = 0;
  for (const line of shared) {
    const numbers = numbersOf(line);
    if (numbers !== null && numbers.n <= end.lines) continue;
    const opened = openLine(line, end);
    if (!opened.ok) {
      broken ??= opened.why;
      claimed = Math.max(claimed, numbers?.s ?? 0);
    } else {
      entries.push(opened.entry);
      missing.push(line);
      end = opened.end;
    }
  }
  const why = broken !== null && (claimed > end.lines || !isTorn()) ? broken : null;
  return { found: { entries, end, file, missing }, why };
}

/** The journal's lines, then those that only the shared log has. */
export function findLines(run: RunId, content: Uint8Array, sharedContent: Uint8Array): FindResult {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const shared = Buffer.from(sharedContent.buffer, sharedContent.byteOffset, sharedContent.byteLength);
  const reading = readJournal(run, bytes);
  const file = reading.ok ? reading.journal : reading.before;
  const { found, why } = follow(file, readSharedLog(shared).get(run) ?? [], () => hasHole(shared, 0));
  const { entries, end, missing } = found;
  if (why !== null)
    return { ok: false, damage: { line: end.lines + 1, why: `in the shared log: ${why}` }, before: entries };
  // What was not synced yet may be damaged in the file; the shared log then has it whole.
  const isWhole = missing.length > 0 && !knowsMore(bytes.subarray(file.size), end.lines);
  if (!reading.ok && !isWhole) return { ok: false, damage: reading.damage, before: file.entries };
  return { ok: true, found };
}
