import path from 'node:path';
import { writeFully, placeFile, readIfThere, statIfThere } from '#io/files/durable-file.ts';
import {
  endOf,
  journalFile,
  listRunIds,
  type Place,
  readRun,
  readShared,
  type SharedLines,
} from '#actors/journal/index.ts';
import type { PastLookup, PastRun, PastVisit, RunUse, StoredForecast } from '#protocol/forecast.ts';
import type { BlockId, RunId, Signal } from '#protocol/id.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { readStoredForecast } from './stored-forecast.ts';
import { readVisits } from './past-visits.ts';

// Journals are authoritative. This index only avoids reading all of them: a line is used as long as the journal has the
// size that the line names, and a run without such a line is read from its journal. The file may be deleted.

const INDEX = 'past-runs.jsonl';
const VERSION = 1;

/** The number of newest runs from which visits are taken. */
const MOST_RUNS = 2_000;

/** Returns the runs that can be among the newest ones: the newest of the index, and those that it lacks. */
function newestOf(runs: readonly RunId[], lines: ReadIndex['lines'], most: number): readonly RunId[] {
  if (runs.length <= most) return runs;
  const newest = [...lines.values()].sort((one, other) => other.at - one.at).slice(0, most);
  const wanted = new Set(newest.map(({ run }) => run));
  return runs.filter((run) => wanted.has(run) || !lines.has(run));
}

/** A visit as a list, because the index has many of them. */
type PackedVisit = readonly [
  block: string,
  visit: number,
  ms: number,
  calls: number,
  input: number,
  output: number,
  cached: number,
  microUsd: number | null,
  model: string | null,
  lookups: readonly (string | null)[],
];

/** A run as the index describes it. */
export interface IndexedRun {
  readonly v: typeof VERSION;
  readonly run: RunId;
  /** The size of the journal from which the line was made. */
  readonly bytes: number;
  readonly at: number;
  readonly start: string;
  readonly outcome: PastRun['outcome'];
  /** The reason of a failure. */
  readonly reason: string | null;
  /** The beginnings of the run's input and of the message with which it ended. */
  readonly text: string;
  /** True if answers came from a script, so that the run says nothing about models. */
  readonly scripted: boolean;
  readonly use: RunUse;
  readonly visits: readonly PackedVisit[];
  readonly forecast: StoredForecast | null;
}

const pack = ({ block, visit, ms, calls, input, output, cached, microUsd, model, lookups }: PastVisit): PackedVisit => [
  ...([block, visit, ms, calls, input, output, cached, microUsd, model] as const),
  lookups.flatMap(({ signal, action }) => [signal, action]),
];

function unpack([block, visit, ms, calls, input, output, cached, microUsd, model, flat]: PackedVisit): PastVisit {
  const lookups: PastLookup[] = [];
  for (let index = 0; index < flat.length; index += 2)
    lookups.push({ signal: (flat[index] ?? null) as Signal | null, action: flat[index + 1] ?? null });
  return {
    block: block as BlockId,
    visit,
    ms,
    calls,
    input,
    output,
    cached,
    microUsd,
    model,
    lookups,
  };
}

const isIndexedRun = (value: Readonly<Record<string, unknown>> | null): boolean =>
  value?.['v'] === VERSION &&
  typeof value['run'] === 'string' &&
  typeof value['bytes'] === 'number' &&
  Array.isArray(value['visits']);

interface ReadIndex {
  readonly lines: ReadonlyMap<string, IndexedRun>;
  /** The number of lines in the file, with those that newer lines replace. */
  readonly count: number;
}

function readIndex({ calls, folder }: Place): ReadIndex {
  const bytes = readIfThere(calls, path.join(folder, INDEX));
  const lines = new Map<string, IndexedRun>();
  if (bytes === null) return { lines, count: 0 };
  let count = 0;
  for (const text of new TextDecoder().decode(bytes).split('\n')) {
    if (text === '') continue;
    count += 1;
    const value = parseJsonObject(text);
    if (isIndexedRun(value)) lines.set((value as unknown as IndexedRun).run, value as unknown as IndexedRun);
  }
  return { lines, count };
}

/** The maximum lengths of the input and of the message that the index keeps, in characters. */
const [LONGEST_INPUT, LONGEST_MESSAGE] = [2_000, 500] as const;

function messageIn(end: ReturnType<typeof endOf>): readonly string[] {
  const message = end?.details['message'];
  return typeof message === 'string' ? [message.slice(0, LONGEST_MESSAGE)] : [];
}

/** Makes the line of a run from its journal; null if it can't be read. */
function readLine(place: Place, run: RunId, bytes: number, shared: SharedLines): IndexedRun | null {
  const reading = readRun(place, run, shared);
  if (reading.kind !== 'read') return null;
  const { entries } = reading.run;
  const [header] = entries;
  if (header?.type !== 'run') return null;
  const { started } = header;
  const { start, script } = started;
  const end = endOf(entries);
  const { use, visits } = readVisits(place, entries);
  return {
    v: VERSION,
    run,
    bytes,
    at: header.at,
    start: 'node' in start ? start.node : start.block,
    outcome: end?.outcome ?? null,
    reason: end?.reason ?? null,
    text: [(started.input ?? '').slice(0, LONGEST_INPUT), ...messageIn(end)].join('\n'),
    scripted: script !== null,
    use,
    visits: visits.map(pack),
    forecast: readStoredForecast(place, run),
  };
}

const encoder = new TextEncoder();

const textOf = (lines: readonly IndexedRun[]): Uint8Array =>
  encoder.encode(lines.map((line) => `\n${JSON.stringify(line)}`).join(''));

/** Adds lines to the index, or writes it again if it has more replaced lines than others. */
function save(place: Place, known: readonly IndexedRun[], added: readonly IndexedRun[], count: number): void {
  const { calls, folder } = place;
  const file = path.join(folder, INDEX);
  const isLong = count + added.length > 2 * known.length + 100;
  if (added.length === 0 && !isLong) return;
  try {
    if (isLong) return placeFile(calls, file, textOf(known), String(added[0]?.run ?? 'all'));
    const descriptor = calls.open(file, 'a');
    try {
      writeFully(calls, descriptor, textOf(added));
    } finally {
      calls.close(descriptor);
    }
  } catch {
    // A folder that can't be written is read as well, but without an index.
  }
}

/** Returns the newest runs of a project, newest first. */
export function indexedRuns(place: Place, most = Number.POSITIVE_INFINITY): readonly IndexedRun[] {
  const { lines, count } = readIndex(place);
  let shared: SharedLines | null = null;
  const known: IndexedRun[] = [];
  const added: IndexedRun[] = [];
  const all = listRunIds(place);
  const wanted = newestOf(all, lines, most);
  for (const run of wanted) {
    const bytes = statIfThere(place.calls, journalFile(place.folder, run))?.size ?? 0;
    const line = lines.get(run);
    const isCurrent = line?.bytes === bytes;
    shared ??= isCurrent ? null : readShared(place);
    const read = isCurrent ? line : readLine(place, run, bytes, shared ?? readShared(place));
    if (read === null) continue;
    known.push(read);
    if (!isCurrent) added.push(read);
  }
  // The index is written again only by a caller that has read all runs.
  save(place, known, added, wanted.length === all.length ? count : 0);
  return known.sort((one, other) => other.at - one.at).slice(0, most);
}

/** Returns the newest runs of a project with their visits, newest first, without runs whose answers were scripted. */
export const pastRuns = (place: Place, most = MOST_RUNS): readonly PastRun[] =>
  indexedRuns(place, most)
    .filter(({ scripted }) => !scripted)
    .map(({ run, start, outcome, use, visits, forecast }) => ({
      run,
      start,
      outcome,
      use,
      forecast,
      visits: visits.map(unpack),
    }));

/** Returns the blocks that a run has visited, and the models that it has called. */
export const namesIn = ({
  visits,
}: IndexedRun): { readonly blocks: readonly string[]; readonly models: readonly string[] } => ({
  blocks: [...new Set(visits.map(([block]) => block))],
  models: [...new Set(visits.flatMap(([, , , , , , , , model]) => model ?? []))],
});
