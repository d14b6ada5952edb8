import { crc32 } from 'node:zlib';
import type { JournalEntry } from '#protocol/journal.ts';
import { hex } from './checksum.ts';
import { JOURNAL_FEATURES, JOURNAL_VERSION } from '#protocol/journal.ts';
import type { RunId } from '#protocol/id.ts';

/**
 * The end of a journal's chain. A journal consists of lines of JSON. Each line ends with a checksum over itself and the
 * checksum before it, the first one over the run's id, so a changed, missing, doubled or moved line is detected
 * (docs/decisions/2026-11-21-durability.md).
 */
export interface ChainEnd {
  /** The number of lines so far. */
  readonly lines: number;
  readonly crc: number;
}

export const chainStart = (run: RunId): ChainEnd => ({ lines: 0, crc: crc32(run) });

const SEAL = ',"crc":"';
/** The length of the end of a line, such as `,"crc":"0123abcd"}`. */
const SEAL_BYTES = SEAL.length + 8 + 2;

/**
 * Returns the line with its newline, and the new end of the chain. `safe` is the number of lines that were safe when
 * it was written; it tells a torn write from damage of safe lines.
 */
export function sealLine(
  entry: JournalEntry,
  { lines, crc }: ChainEnd,
  safe = lines,
): { readonly text: string; readonly end: ChainEnd } {
  const body = `{"n":${lines + 1},${JSON.stringify(entry).slice(1, -1)},"s":${safe}`;
  const sealed = crc32(body, crc);
  return { text: `${body}${SEAL}${hex(sealed)}"}\n`, end: { lines: lines + 1, crc: sealed } };
}

interface Numbers {
  readonly n: number;
  readonly s: number;
}

const NUMBER = /^\{"n":(\d+),/;
const SAFE = /,"s":(\d+),"crc":"[0-9a-f]{8}"\}$/;

const first = (pattern: RegExp, text: string): number | null => {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
};

/** Reads the number at the beginning of a line, however damaged the rest is. */
export const numberOf = (line: Buffer): number | null => first(NUMBER, line.toString('latin1', 0, 24));

/** Reads the number of safe lines at the end of a line. */
export const safeOf = (line: Buffer): number | null =>
  first(SAFE, line.toString('latin1', Math.max(0, line.length - 48)));

type OpenedLine =
  | { readonly ok: true; readonly entry: JournalEntry; readonly end: ChainEnd }
  | { readonly ok: false; readonly why: string; readonly isNewer?: true };

const broken = (why: string): OpenedLine => ({ ok: false, why });

/** Returns why this build can't read an entry: a newer build has written it. Null if it can. */
function newerThanThis(entry: JournalEntry): string | null {
  const text = (what: string): string => `it was written by a newer version of RoboSmith (${what})`;
  if (entry.type === 'run' && entry.version > JOURNAL_VERSION)
    return text(`journal version ${entry.version}; this one reads ${JOURNAL_VERSION}`);
  if (entry.type === 'open' && (entry.features ?? 0) > JOURNAL_FEATURES)
    return text(`journal feature ${entry.features ?? 0}; this one knows ${JOURNAL_FEATURES}`);
  return null;
}

/** Reads a line without its newline, as the successor of `before`. */
export function openLine(bytes: Buffer, before: ChainEnd): OpenedLine {
  const bodyEnd = bytes.length - SEAL_BYTES;
  if (bodyEnd < 2 || bytes.toString('latin1', bodyEnd, bodyEnd + SEAL.length) !== SEAL)
    return broken('it has no checksum');
  const crc = crc32(bytes.subarray(0, bodyEnd), before.crc);
  if (bytes.toString('latin1', bodyEnd + SEAL.length) !== `${hex(crc)}"}`) return broken('its checksum does not match');
  const text = bytes.toString('utf8', 0, bodyEnd) + '}';
  let line: JournalEntry & Numbers;
  try {
    line = JSON.parse(text) as JournalEntry & Numbers;
  } catch {
    return broken('it is not JSON');
  }
  const { n, s, ...entry } = line;
  if (n !== before.lines + 1 || s >= n) return broken(`it has number ${n}, but number ${before.lines + 1} is expected`);
  const newer = newerThanThis(entry);
  if (newer !== null) return { ok: false, why: newer, isNewer: true };
  return { ok: true, entry, end: { lines: n, crc } };
}
