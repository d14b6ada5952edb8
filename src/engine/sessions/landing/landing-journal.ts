import path from 'node:path';
import { readIfThere, replaceFile, writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { LandingAnswer } from '#protocol/landing.ts';
import type { LandedCar, LandingPlace, LandingRun } from '#protocol/landing-report.ts';

/** A car with everything that a landing needs after an interruption. */
export interface JournaledCar extends LandedCar {
  readonly needs: readonly string[];
  /** The message of its commit on the base. */
  readonly message: string;
}

/** The first line of the journal. */
export interface JournaledLanding {
  readonly type: 'landing';
  readonly version: 1;
  readonly base: string;
  readonly from: string;
  readonly cars: readonly JournaledCar[];
  readonly maxRuns: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A failed run with its output, and lines that take part in a failure: what people get to see of a failure. */
export interface LandingEvidence {
  readonly run: LandingRun | null;
  /** What was tested: the last commit of the combination, and the commit of the base below it; null if nothing was. */
  readonly tested: { readonly base: string; readonly commit: string } | null;
  readonly output: string;
  readonly places: readonly LandingPlace[];
}

/** The further lines, in the order in which they were written. Each is on disk before the next step begins. */
export type JournalEntry =
  | { readonly type: 'answer'; readonly answer: LandingAnswer; readonly evidence: LandingEvidence | null }
  /** The base has moved meanwhile, to this commit. */
  | { readonly type: 'base'; readonly commit: string }
  /** The base is about to be moved. */
  | { readonly type: 'moving'; readonly from: string; readonly to: string; readonly cars: readonly string[] }
  | { readonly type: 'ended'; readonly hasMoved: boolean }
  | { readonly type: 'undoing' }
  | { readonly type: 'undone' };

export interface StoredLanding {
  readonly landing: JournaledLanding;
  readonly entries: readonly JournalEntry[];
}

export interface JournalPlace {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly newId: (bytes: number) => string;
}

const fileOf = ({ folder }: JournalPlace): string => path.join(folder, 'landing.jsonl');

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`);

const TYPES: ReadonlySet<unknown> = new Set<JournalEntry['type']>([
  'answer',
  'base',
  'moving',
  'ended',
  'undoing',
  'undone',
]);

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

const hasType = (value: unknown, isWanted: (type: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && isWanted(value.type);

/**
 * Reads the last landing; null if there is none that this version can read. A line that a crash has cut off is the last
 * one, and its step is repeated.
 */
export function readLanding(place: JournalPlace): StoredLanding | null {
  const bytes = readIfThere(place.calls, fileOf(place));
  if (bytes === null) return null;
  const lines = new TextDecoder().decode(bytes).split('\n').slice(0, -1).map(parsed);
  const [first, ...rest] = lines;
  if (!hasType(first, (type) => type === 'landing') || (first as JournaledLanding).version !== 1) return null;
  const torn = rest.findIndex((value) => !hasType(value, (type) => TYPES.has(type)));
  const entries = (torn < 0 ? rest : rest.slice(0, torn)) as readonly JournalEntry[];
  return { landing: first as JournaledLanding, entries };
}

/** Begins the journal of a landing, in the place of the last one. */
export function beginJournal(place: JournalPlace, landing: JournaledLanding): void {
  place.calls.makeFolder(place.folder);
  replaceFile(place.calls, fileOf(place), bytesOf(landing), place.newId(6));
}

/** Rewrites the journal without a line that a crash has cut off, so that lines can be added. */
export function reopenJournal(place: JournalPlace, { landing, entries }: StoredLanding): void {
  const all = [landing, ...entries].map((line) => JSON.stringify(line)).join('\n');
  replaceFile(place.calls, fileOf(place), new TextEncoder().encode(`${all}\n`), place.newId(6));
}

/** Adds a line, which is on disk afterwards. */
export function appendEntry(place: JournalPlace, entry: JournalEntry): void {
  const { calls } = place;
  const descriptor = calls.open(fileOf(place), 'a');
  try {
    writeFully(calls, descriptor, bytesOf(entry));
    calls.datasync(descriptor);
  } finally {
    calls.close(descriptor);
  }
}

/** The move of the base that a landing has made last; null if it has made none. */
export function moveOf({ entries }: StoredLanding): Extract<JournalEntry, { type: 'moving' }> | null {
  const hasMoved = entries.some((entry) => entry.type === 'answer' && entry.answer.kind === 'moved');
  return hasMoved ? (entries.findLast((entry) => entry.type === 'moving') ?? null) : null;
}

export const has = ({ entries }: StoredLanding, type: JournalEntry['type']): boolean =>
  entries.some((entry) => entry.type === type);
