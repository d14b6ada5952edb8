import { createHash } from 'node:crypto';
import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, replaceCache } from '#io/files/durable-file.ts';
import type { FramePath, RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { FrameSummary, RunSummary } from '#protocol/run-summary.ts';
import type { Journal, JournalPosition } from './journal.ts';
import { openSealed, seal } from './checksum.ts';
import { type Place, runFolder } from './stored-run.ts';
import type { createSummary } from './summarise.ts';

const STATE_VERSION = 1;

/** The content of `flow_state_<run>.json`: a checkpoint, which can be rebuilt from the journal. */
interface RunState {
  readonly version: number;
  readonly id: RunId;
  readonly current_step: CurrentStep;
  readonly journal: JournalPosition;
  readonly summary: RunSummary;
}

type CurrentStep =
  | { readonly type: 'block'; readonly ref: string }
  /** `refs` lists the branches of a FORK in written order. */
  | { readonly type: 'workflow'; readonly ref: string; readonly refs: readonly string[] };

/** Returns a file name for a frame that is unique on every system, also where case is ignored and names are short. */
function framePart(frame: FramePath): string {
  const readable = frame.slice(1).replaceAll('/', '.');
  const hash = createHash('sha256').update(frame).digest('hex').slice(0, 8);
  return readable.length > 80 ? `${readable.slice(0, 40)}-${hash}` : `${readable}-${hash}`;
}

const rootName = (run: RunId): string => `flow_state_${run}.json`;
const frameName = (run: RunId, frame: FramePath): string =>
  frame === '/' ? rootName(run) : `flow_state_${run}#${framePart(frame)}.json`;

function memoised(name: (frame: FramePath) => string): (frame: FramePath) => string {
  const names = new Map<FramePath, string>();
  return (frame) => {
    const known = names.get(frame) ?? name(frame);
    names.set(frame, known);
    return known;
  };
}

function currentStep(
  nameOf: (frame: FramePath) => string,
  { block, children }: Pick<FrameSummary, 'block' | 'children'>,
): CurrentStep {
  const refs = children.map(nameOf);
  const [ref] = refs;
  return ref === undefined ? { type: 'block', ref: block } : { type: 'workflow', ref, refs };
}

/** Returns the result of the call, or `otherwise` if it throws: an unreadable cache is treated as missing. */
function orElse<Value>(otherwise: Value, call: () => Value): Value {
  try {
    return call();
  } catch {
    return otherwise;
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/**
 * Checks the types of the fields that are used: a checksum does not prove that the content is valid, since anybody can
 * compute it.
 */
function isWhole(state: Readonly<Record<string, unknown>>): boolean {
  const { lines, bytes } = objectIn(state['journal']);
  const { status, halts, started_at, updated_at } = objectIn(state['summary']);
  const numbers = [lines, bytes, started_at, updated_at];
  return numbers.every(Number.isSafeInteger) && typeof status === 'string' && Array.isArray(halts);
}

/**
 * Reads a state file; null if it is missing, unreadable, damaged or of another version. The journal is authoritative.
 */
export function readState({ calls, folder }: Place, run: RunId): RunState | null {
  const bytes = orElse(null, () => readIfThere(calls, path.join(runFolder(folder, run), rootName(run))));
  const body = bytes === null ? null : openSealed(bytes);
  const state = body === null ? null : parseJsonObject(body);
  return state?.['version'] === STATE_VERSION && state['id'] === run && isWhole(state)
    ? (state as object as RunState)
    : null;
}

interface StateFilesParts {
  readonly place: Place;
  readonly journal: Journal;
  readonly summary: ReturnType<typeof createSummary>;
  readonly nextTurn: (work: () => void) => void;
  /**
   * Runs `work` after this number of milliseconds, unless the process ends before. If absent, the work runs in the next
   * turn.
   */
  readonly afterMs?: ((ms: number, work: () => void) => void) | undefined;
  readonly warn: (message: string) => void;
}

/**
 * The milliseconds from a turning point to its write. A deep or wide run has a turning point for each frame, and each
 * write costs as much as several steps. A frame that ends earlier gets no file at all.
 */
const DELAY_MS = 100;

/** The maximum number of finished visits between two checkpoints. */
const EVERY_STEPS = 1_024;

/**
 * Returns whether an entry is a turning point: a lookup that calls, forks, returns or ends its frame, a halt or its
 * answer, or a stop, resumption or end of the run.
 */
function isTurning(entry: JournalEntry): boolean {
  if (entry.type === 'path') return entry.entry.action === null || /^(?:CALL|FORK|RETURN)/.test(entry.entry.action);
  if (entry.type === 'open') return entry.why !== 'start';
  return ['halt', 'answer', 'stop', 'end'].includes(entry.type);
}

/** Writes the state files of one run, those that have changed since the last write. Throws the system's error. */
function createStateWriter({ place, journal, summary }: Pick<StateFilesParts, 'place' | 'journal' | 'summary'>) {
  const { calls, folder } = place;
  const { run } = journal;
  const home = runFolder(folder, run);
  const written = new Map<string, string>();
  /** The file names of frames, each with a hash that is computed once. */
  const nameOf = memoised((frame: FramePath) => frameName(run, frame));

  const put = (name: string, state: object, changed: string): void => {
    if (written.get(name) === changed) return;
    replaceCache(calls, path.join(home, name), seal(state));
    written.set(name, changed);
  };
  for (const name of orElse([], () => listIfThere(calls, home)))
    if (name.startsWith(`flow_state_${run}#`)) written.set(name, '');

  return (): void => {
    const now = summary.summary();
    const position = journal.position();
    const names = new Set<string>([rootName(run)]);
    for (const frame of now.frames.filter((one) => one.frame !== '/')) {
      const name = nameOf(frame.frame);
      names.add(name);
      const state = { version: STATE_VERSION, id: run, ...frame, current_step: currentStep(nameOf, frame) };
      put(name, { ...state, journal: position }, JSON.stringify(state));
    }
    const root = now.frames.find(({ frame }) => frame === '/') ?? { block: now.block, children: [] };
    const state: RunState = {
      version: STATE_VERSION,
      id: run,
      current_step: currentStep(nameOf, root),
      journal: position,
      summary: now,
    };
    put(rootName(run), state, JSON.stringify(state));
    for (const name of [...written.keys()].filter((one) => !names.has(one))) {
      removeIfThere(calls, path.join(home, name));
      written.delete(name);
    }
  };
}

/**
 * Writes the state files of one run after its turning points; a burst of them is written once. State files are caches:
 * a write error is reported once, and the run continues.
 */
export function createStateFiles({ place, journal, summary, nextTurn, afterMs, warn }: StateFilesParts) {
  const { run } = journal;
  const write = createStateWriter({ place, journal, summary });
  let steps = 0;
  let due = false;
  let isScheduled = false;
  let warned = false;

  /** A checkpoint contains only safe entries: after a crash, others would be treated as lost. */
  const flush = (): void => {
    if (!due || journal.trouble() !== null) return;
    const safe = journal.safe();
    if (safe !== null) return void safe.then(flush, () => undefined);
    due = false;
    try {
      write();
    } catch (thrown) {
      if (!warned)
        warn(
          `the state file of ${run} can't be written (${messageOf(thrown)}); nothing is lost, since the journal is complete`,
        );
      warned = true;
    }
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    const go = (): void => {
      isScheduled = false;
      flush();
    };
    if (afterMs === undefined) nextTurn(go);
    else afterMs(DELAY_MS, go);
  };

  return {
    /** Must be called with each new journal entry. */
    take: (entry: JournalEntry): void => {
      if (entry.type === 'path') steps += 1;
      if (!isTurning(entry) && steps < EVERY_STEPS) return;
      steps = 0;
      due = true;
      schedule();
    },
    flush,
  };
}
