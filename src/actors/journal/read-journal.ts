import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { hasTornWrite } from './torn-write.ts';
import { type ChainEnd, chainStart, openLine, safeOf } from './journal-line.ts';
import { linesOf } from './lines-of.ts';
import { withoutPreallocation } from './preallocated-file.ts';

export interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly end: ChainEnd;
  /** The number of bytes that hold these entries. */
  readonly size: number;
  /** How the file must be repaired before the next line: cut off a torn write, or add the missing last newline. */
  readonly mend: 'nothing' | 'cut' | 'newline';
}

export interface Damage {
  /** The line number, from 1. */
  readonly line: number;
  readonly why: string;
  /** True if a newer build has written the line: the run is intact, but this build would misread it. */
  readonly isNewer?: true;
}

type JournalReading =
  | { readonly ok: true; readonly journal: ReadJournal }
  /** The journal before the damage. */
  | { readonly ok: false; readonly damage: Damage; readonly before: ReadJournal };

const NEWLINE = 0x0a;

interface Reading {
  readonly entries: JournalEntry[];
  end: ChainEnd;
  size: number;
}

const so = ({ entries, end, size }: Reading, mend: ReadJournal['mend']): ReadJournal => ({ entries, end, size, mend });

/** Reads the end of a file without a final newline: a whole line that lost its newline, or a torn one. */
function readTail(tail: Buffer, reading: Reading): ReadJournal {
  if (tail.length === 0) return so(reading, 'nothing');
  // The second attempt omits the last byte, which may be a damaged newline.
  for (const length of [tail.length, tail.length - 1]) {
    const line = openLine(tail.subarray(0, length), reading.end);
    if (!line.ok) continue;
    reading.entries.push(line.entry);
    return { entries: reading.entries, end: line.end, size: reading.size + length, mend: 'newline' };
  }
  return so(reading, 'cut');
}

function add(reading: Reading, bytes: Buffer, from: number, until: number): Damage | null {
  const line = openLine(bytes.subarray(from, until), reading.end);
  if (!line.ok)
    return { line: reading.end.lines + 1, why: line.why, ...(line.isNewer === true ? { isNewer: true } : {}) };
  reading.entries.push(line.entry);
  reading.end = line.end;
  reading.size = until + 1;
  return null;
}

/** The length of `,"s":…,"crc":"01234567"}` without the number. */
const SAFE_BYTES = 23;

/** Returns whether the last line has lost its end, including its count of safe lines. */
const isCutAtItsEnd = (last: Buffer | undefined, line: number): boolean =>
  last !== undefined && last.length - last.lastIndexOf(0) - 1 < SAFE_BYTES + String(line).length;

/**
 * Returns whether part of the last write is missing and no later line states that it was safe. Such a write was never
 * reported outside of the engine.
 */
function isTorn(bytes: Buffer, from: number, line: number): boolean {
  if (!hasTornWrite(bytes, from)) return false;
  const lines = linesOf(bytes.subarray(from));
  const known = lines.map(safeOf);
  const hasKnownEnd = known.at(-1) !== null || isCutAtItsEnd(lines.at(-1), line);
  return hasKnownEnd && known.every((safe) => safe === null || safe < line);
}

/**
 * Reads the entries of a journal. A torn end is dropped, since it was never reported outside of the engine. Any other
 * damage is returned with the entries before it.
 */
export function readJournal(run: RunId, content: Uint8Array): JournalReading {
  const bytes = withoutPreallocation(content);
  const reading: Reading = { entries: [], end: chainStart(run), size: 0 };
  let from = 0;
  for (let until = bytes.indexOf(NEWLINE); until !== -1; until = bytes.indexOf(NEWLINE, from)) {
    const damage = add(reading, bytes, from, until);
    if (damage !== null && isTorn(bytes, from, damage.line)) return { ok: true, journal: so(reading, 'cut') };
    if (damage !== null) return { ok: false, damage, before: so(reading, 'cut') };
    from = until + 1;
  }
  const journal = readTail(bytes.subarray(from), reading);
  const [first] = journal.entries;
  if (first !== undefined && first.type !== 'run')
    return { ok: false, damage: { line: 1, why: 'it does not begin with the header of a run' }, before: journal };
  return { ok: true, journal };
}
