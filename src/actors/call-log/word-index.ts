import { placeFile, readIfThere, writeFully } from '#io/files/durable-file.ts';
import { hashWord, makeWordFilter, mayContain, wordsIn } from '#logic/calls/word-filter.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { type LogPlace, pathOf } from './call-files.ts';
import { WORDS } from './checked-log.ts';
import { readFile } from './read-call.ts';

// The words of all calls, so that a search reads only the files of calls that may contain its text. The call files are
// authoritative: calls that the index lacks are added when somebody searches, and the file may be deleted.

/** The first byte of each record, followed by the lengths of the name and the filter, the name and the filter. */
const MARK = 0x57;
const HEAD_BYTES = 1 + 2 + 4;

/** The bytes of new records that are collected before they are written. */
const AT_ONCE = 1024 * 1024;

interface WordRecord {
  readonly file: string;
  readonly from: number;
  readonly length: number;
}

interface ReadWords {
  readonly bytes: Uint8Array;
  /** The records by file name. */
  readonly records: ReadonlyMap<string, WordRecord>;
  /** The length of the intact part. A record that a crash cut off follows it. */
  readonly intact: number;
}

function readWords(place: LogPlace): ReadWords {
  const bytes = readIfThere(place.calls, pathOf(place, WORDS)) ?? new Uint8Array();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records = new Map<string, WordRecord>();
  let at = 0;
  while (at + HEAD_BYTES <= text.length && text[at] === MARK) {
    const [name, length] = [text.readUInt16LE(at + 1), text.readUInt32LE(at + 3)];
    const from = at + HEAD_BYTES + name;
    if (from + length > text.length) break;
    const file = text.toString('latin1', at + HEAD_BYTES, from);
    records.set(file, { file, from, length });
    at = from + length;
  }
  return { bytes, records, intact: at };
}

/** Returns everything that a search looks at: the prompt, the answer, and what failed attempts were answered. */
export const searchedTexts = ({ request, answer, attempts, outcome }: CallRecord): readonly string[] => [
  ...request.segments.map(({ text }) => text),
  ...(answer === null ? [] : [answer.text]),
  ...attempts.flatMap(({ raw, facts, outcome: own }) => [raw ?? '', facts?.body ?? '', facts?.error ?? '', own]),
  outcome,
];

function recordBytes(file: string, texts: readonly string[]): Buffer {
  const filter = makeWordFilter(wordsIn(texts.join('\n')));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(MARK, 0);
  head.writeUInt16LE(file.length, 1);
  head.writeUInt32LE(filter.length, 3);
  return Buffer.concat([head, Buffer.from(file, 'latin1'), filter]);
}

function append(place: LogPlace, bytes: Uint8Array): void {
  const descriptor = place.calls.open(pathOf(place, WORDS), 'a');
  try {
    writeFully(place.calls, descriptor, bytes);
  } finally {
    place.calls.close(descriptor);
  }
}

/** Adds the calls that the index lacks. Without write access nothing is added. Returns the calls that have no record. */
function addMissing(place: LogPlace, files: readonly string[], known: ReadWords): readonly string[] {
  const missing = files.filter((file) => !known.records.has(file));
  let waiting: Buffer[] = [];
  let size = 0;
  const write = (): void => {
    if (waiting.length > 0) append(place, Buffer.concat(waiting));
    [waiting, size] = [[], 0];
  };
  try {
    if (known.intact < known.bytes.length)
      placeFile(place.calls, pathOf(place, WORDS), known.bytes.subarray(0, known.intact), 'mend');
    for (const file of missing) {
      const reading = readFile(place, file);
      const bytes = recordBytes(file, reading.kind === 'read' ? searchedTexts(reading.record) : []);
      waiting.push(bytes);
      size += bytes.length;
      if (size > AT_ONCE) write();
    }
    write();
    return [];
  } catch {
    return missing;
  }
}

/** Removes the records of calls that no longer exist, once they are most of the file. */
function removeStale(place: LogPlace, { bytes, records }: ReadWords, files: ReadonlySet<string>): void {
  if (records.size < 2 * files.size + 100) return;
  const kept = [...records.values()].filter(({ file }) => files.has(file));
  const parts = kept.map(({ file, from, length }) => bytes.subarray(from - file.length - HEAD_BYTES, from + length));
  try {
    placeFile(place.calls, pathOf(place, WORDS), Buffer.concat(parts), 'stale');
  } catch {
    // A log that can't be written keeps them.
  }
}

/** Returns the calls that may contain all words of a text. Every call must have a record. */
export function indexedWithWords(place: LogPlace, text: string): ReadonlySet<string> {
  const content = readIfThere(place.calls, pathOf(place, WORDS)) ?? new Uint8Array();
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const words = Array.from(wordsIn(text), hashWord);
  const found = new Set<string>();
  for (let at = 0; at + HEAD_BYTES <= bytes.length && bytes[at] === MARK;) {
    const [name, length] = [bytes.readUInt16LE(at + 1), bytes.readUInt32LE(at + 3)];
    const from = at + HEAD_BYTES + name;
    if (mayContain(bytes, from, length, words)) found.add(bytes.toString('latin1', at + HEAD_BYTES, from));
    at = from + length;
  }
  return found;
}

/** Returns those of these files whose calls may contain all words of a text. */
export function filesWithWords(place: LogPlace, files: readonly string[], text: string): ReadonlySet<string> {
  const first = readWords(place);
  const isComplete = first.intact === first.bytes.length && files.every((file) => first.records.has(file));
  const unread = isComplete ? [] : addMissing(place, files, first);
  const known = isComplete ? first : readWords(place);
  removeStale(place, known, new Set(files));
  const words = Array.from(wordsIn(text), hashWord);
  const found = files.filter((file) => {
    const record = known.records.get(file);
    return record !== undefined && mayContain(known.bytes, record.from, record.length, words);
  });
  return new Set([...found, ...unread]);
}
