import { readIfThere } from '#io/files/durable-file.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { callOf, INDEX, type LogPlace, nameOf, pathOf } from './call-files.ts';
import { isSummary } from './call-shape.ts';
import { listCalls } from './list-calls.ts';
import { readFile } from './read-call.ts';
import { filesWithWords, searchedTexts } from './word-index.ts';

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

/** Returns the lines of the index that can belong to wanted calls, and the calls that the index lacks. */
function candidates(
  place: LogPlace,
  query: CallQuery,
  files: ReadonlySet<string>,
): { readonly found: ReadonlyMap<string, IndexedLine>; readonly isComplete: boolean } {
  const bytes = readIfThere(place.calls, pathOf(place, INDEX));
  const found = new Map<string, IndexedLine>();
  const seen = new Set<string>();
  // Names begin with the time, so that they are compared instead of it.
  const from = query.since === null ? '' : nameOf('', query.since).slice(0, -'-.json'.length);
  for (const line of new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')) {
    const file = fileIn(line);
    // A line that a crash cut off counts as missing.
    if (file === null || !files.has(file) || !line.endsWith('}')) continue;
    seen.add(file);
    if (file >= from && mayMatch(line, query)) found.set(file, { file, line });
    else found.delete(file);
  }
  return { found, isComplete: seen.size === files.size };
}

function hasText(place: LogPlace, file: string, text: string): boolean {
  const reading = readFile(place, file);
  if (reading.kind !== 'read') return false;
  const wanted = text.toLowerCase();
  return searchedTexts(reading.record).some((one) => one.toLowerCase().includes(wanted));
}

/** Returns the newest calls that match a query, at most `most`. `searched` is the number of calls in the log. */
export function findCalls(
  place: LogPlace,
  query: CallQuery,
  most: number,
): { readonly calls: readonly CallSummary[]; readonly searched: number } {
  const list = (): readonly string[] => {
    try {
      return place.calls.list(place.folder).filter((name) => callOf(name) !== null);
    } catch {
      return [];
    }
  };
  const names = list();
  const files = new Set(names);
  const first = candidates(place, query, files);
  // Listing the calls adds to the index what it lacks. Damaged calls stay missing.
  if (!first.isComplete) listCalls(place);
  const { found } = first.isComplete ? first : candidates(place, query, files);
  const { text } = query;
  const sorted = [...found.values()].sort((one, other) => (one.file < other.file ? 1 : -1));
  const withWords = text === null ? null : filesWithWords(place, names, text);
  const calls: CallSummary[] = [];
  for (const { file, line } of sorted) {
    if (calls.length >= most) break;
    if (withWords?.has(file) === false) continue;
    const value = parseJsonObject(line);
    if (!isSummary(value) || !matches(value as unknown as CallSummary, query)) continue;
    if (text === null || hasText(place, file, text)) calls.push(value as unknown as CallSummary);
  }
  return { calls, searched: names.length };
}
