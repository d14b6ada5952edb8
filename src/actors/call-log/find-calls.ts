import { readIfThere } from '#io/files/durable-file.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { callOf, INDEX, type LogPlace, nameOf, pathOf } from './call-files.ts';
import { isSummary } from './call-shape.ts';
import { isChecked, logState, noteChecked } from './checked-log.ts';
import { listCalls } from './list-calls.ts';
import { readFile } from './read-call.ts';
import { filesWithWords, indexedWithWords, searchedTexts } from './word-index.ts';

export interface CallQuery {
  /** Words of the prompt, the answer or an error, whatever the case of their letters; null for any. */
  readonly text: string | null;
  /** `failed` stands for all outcomes except `ok`. */
  readonly outcome: string | null;
  /** A part of the block's id. */
  readonly block: string | null;
  /** A part of `provider/model`, or of the agent's name. */
  readonly model: string | null;
  readonly run: string | null;
  /** Millionths of a US dollar. */
  readonly costAbove: number | null;
  /** Milliseconds since the epoch. */
  readonly since: number | null;
}

interface IndexedLine {
  readonly file: string;
  readonly line: string;
}

/** Returns the file name in a line of the index, without parsing the line. */
function fileIn(line: string): string | null {
  const at = line.indexOf('"file":"');
  if (at === -1) return null;
  const end = line.indexOf('"', at + 8);
  return end === -1 ? null : line.slice(at + 8, end);
}

/** Returns whether a line can belong to a wanted call. It is decided on the text, because parsing all lines is slow. */
function mayMatch(line: string, { outcome, block, model, run, costAbove }: CallQuery): boolean {
  if (outcome === 'failed' && line.includes('"outcome":"ok"')) return false;
  if (outcome !== null && outcome !== 'failed' && !line.includes(`"outcome":"${outcome}"`)) return false;
  if (run !== null && !line.includes(`"run":"${run}`)) return false;
  if (costAbove !== null) {
    const at = line.indexOf('"micro_usd":');
    if (at === -1 || !(Number.parseInt(line.slice(at + 12, at + 32), 10) > costAbove)) return false;
  }
  // A name with special characters is escaped in the line.
  const name = (text: string | null): boolean => text === null || /[^\w./-]/.test(text) || line.includes(text);
  return name(block) && (model === null || model.includes('/') || name(model));
}

function matches(one: CallSummary, { outcome, block, model, run, costAbove, since }: CallQuery): boolean {
  const called = `${one.provider}/${one.model} ${one.agent ?? ''}`;
  return (
    (outcome === null || (outcome === 'failed' ? one.outcome !== 'ok' : one.outcome === outcome)) &&
    (block === null || one.block?.includes(block) === true) &&
    (model === null || called.includes(model)) &&
    (run === null || one.run?.startsWith(run) === true) &&
    (costAbove === null || (one.micro_usd ?? 0) > costAbove) &&
    (since === null || one.started_at >= since)
  );
}

/** Calls `take` for each whole line of the index; a line that a crash cut off counts as missing. */
function eachLine(place: LogPlace, take: (line: string) => void): void {
  const bytes = readIfThere(place.calls, pathOf(place, INDEX));
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const until = end === -1 ? text.length : end;
    if (until > from && text.charCodeAt(until - 1) === 0x7d) take(text.slice(from, until));
    from = until + 1;
  }
}

/** Returns the lines of the index that can belong to wanted calls, newest first, and whether a call has no line. */
function candidates(
  place: LogPlace,
  query: CallQuery,
  files: ReadonlySet<string> | null,
  withWords: ReadonlySet<string> | null,
): { readonly found: readonly IndexedLine[]; readonly isComplete: boolean } {
  const found = new Map<string, IndexedLine>();
  const seen = new Set<string>();
  // Names begin with the time, so that they are compared instead of it.
  const from = query.since === null ? '' : nameOf('', query.since).slice(0, -'-.json'.length);
  eachLine(place, (line) => {
    const isMatch = mayMatch(line, query);
    if (files === null && !isMatch) return;
    const file = fileIn(line);
    if (file === null || files?.has(file) === false) return;
    if (files !== null) seen.add(file);
    if (isMatch && file >= from && withWords?.has(file) !== false) found.set(file, { file, line });
  });
  const sorted = [...found.values()].sort((one, other) => (one.file < other.file ? 1 : -1));
  return { found: sorted, isComplete: files === null || seen.size === files.size };
}

function hasText(place: LogPlace, file: string, text: string): boolean {
  const reading = readFile(place, file);
  if (reading.kind !== 'read') return false;
  const wanted = text.toLowerCase();
  return searchedTexts(reading.record).some((one) => one.toLowerCase().includes(wanted));
}

/** Returns the files of all calls of the log, in no particular order. */
function filesOf(place: LogPlace): readonly string[] {
  try {
    return place.calls.list(place.folder).filter((name) => callOf(name) !== null);
  } catch {
    return [];
  }
}

/** Returns the candidates for a query, newest first. With a text, they may contain its words. */
function search(place: LogPlace, query: CallQuery, now: number): readonly IndexedLine[] {
  const { text } = query;
  const state = logState(place);
  const known = state === null ? { index: false, words: false } : isChecked(place, state);
  if (known.index && (text === null || known.words)) {
    return candidates(place, query, null, text === null ? null : indexedWithWords(place, text)).found;
  }
  const names = filesOf(place);
  const files = new Set(names);
  const withWords = text === null ? null : filesWithWords(place, names, text);
  const first = candidates(place, query, files, withWords);
  // Listing the calls adds to the index what it lacks. Damaged calls stay missing.
  if (!first.isComplete) listCalls(place);
  const { found, isComplete } = first.isComplete ? first : candidates(place, query, files, withWords);
  if (state !== null && isComplete) noteChecked(place, state, withWords !== null, now);
  return found;
}

/** Returns the newest calls that match a query, at most `most`. `now`: milliseconds since the epoch. */
export function findCalls(place: LogPlace, query: CallQuery, most: number, now: number): readonly CallSummary[] {
  const { text } = query;
  const calls: CallSummary[] = [];
  for (const { file, line } of search(place, query, now)) {
    if (calls.length >= most) break;
    const value = parseJsonObject(line);
    if (!isSummary(value) || !matches(value as unknown as CallSummary, query)) continue;
    if (text === null || hasText(place, file, text)) calls.push(value as unknown as CallSummary);
  }
  return calls;
}
