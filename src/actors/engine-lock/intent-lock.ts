import path from 'node:path';
import { listIfThere, readIfThere, replaceFile } from '#io/files/durable-file.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ProcessIdentity } from '#protocol/process-identity.ts';
import type { LockParts } from '#io/engine-lock/claim-folder.ts';
import { decodeIntents, encodeIntents } from './intents.ts';
import type { Intents, RunIntent, TaskIntent } from './intents.ts';

export interface IntentLockParts extends LockParts {
  /** The absolute path of `.flow`. Only the owner of its engine lock may write there. */
  readonly folder: string;
  readonly self: ProcessIdentity;
  readonly warn: (message: string) => void;
  /** Schedules the write that removes ended runs; absent: at once. */
  readonly nextTurn?: (work: () => void) => void;
}

export type Dispatch =
  | { readonly kind: 'run'; readonly run: RunId; readonly node: NodeId }
  | { readonly kind: 'task'; readonly task_id: string };

type DispatchKey = { readonly kind: 'run'; readonly run: RunId } | { readonly kind: 'task'; readonly task_id: string };

/**
 * Records each dispatch before it happens. When an attempt ends, its record is removed, and the next attempt is number
 * 1 again. If a later engine finds a record, a crash interrupted that attempt, and the next attempt gets the following
 * number. A call that can't write the file throws the system's error; nothing has changed then.
 */
export interface IntentLock {
  /** Records a dispatch and returns the number of its attempt, from 1. */
  begin(dispatch: Dispatch): number;
  /**
   * Removes a record. The file is written at once for a task, since the count of its crashes decides whether it is
   * tried again. Runs that end in one turn are removed with one write: after a crash, the journal says that they ended.
   */
  end(dispatched: DispatchKey): void;
  /** Writes the removals that are still scheduled. */
  flush(): void;
  /** Copies the attempts of a task to its new id. */
  copyTask(from: string, to: string): void;
  /** Returns the dispatches left by a dead engine that have neither begun again nor ended since. */
  pending(): Intents;
}

const FILE = 'intent.lock';
const DAMAGED = /^intent\.lock\.damaged-(\d+)$/;
const NOTHING: Intents = { runs: [], tasks: [] };

/** Returns a map key with the kind in it, because a run and a task may have the same name. */
const keyOf = (one: DispatchKey): string => (one.kind === 'run' ? `run ${one.run}` : `task ${one.task_id}`);

function setAside({ calls, folder, warn }: IntentLockParts): void {
  const taken = listIfThere(calls, folder).map((name) => Number(DAMAGED.exec(name)?.[1] ?? 0));
  const name = `${FILE}.damaged-${Math.max(0, ...taken) + 1}`;
  calls.rename(path.join(folder, FILE), path.join(folder, name));
  warn(
    `.flow/${FILE} was damaged and has been renamed to .flow/${name}. The crash counts of runs and tasks start again at 0`,
  );
}

function readKept(parts: IntentLockParts): Intents {
  const bytes = readIfThere(parts.calls, path.join(parts.folder, FILE));
  if (bytes === null) return NOTHING;
  const kept = decodeIntents(bytes);
  if (kept === null) setAside(parts);
  return kept ?? NOTHING;
}

interface Entry {
  readonly intent: { readonly run: RunIntent } | { readonly task: TaskIntent };
  readonly attempt: number;
  readonly isPending: boolean;
}

type Entries = ReadonlyMap<string, Entry>;

function entriesOf({ runs, tasks }: Intents): Entries {
  const entries = new Map<string, Entry>();
  for (const run of runs)
    entries.set(keyOf({ kind: 'run', run: run.run }), { intent: { run }, attempt: run.attempt_n, isPending: true });
  for (const task of tasks)
    entries.set(keyOf({ kind: 'task', ...task }), { intent: { task }, attempt: task.attempt_n, isPending: true });
  return entries;
}

const intentsOf = (entries: readonly Entry[]): Intents => ({
  runs: entries.flatMap(({ intent }) => ('run' in intent ? [intent.run] : [])),
  tasks: entries.flatMap(({ intent }) => ('task' in intent ? [intent.task] : [])),
});

const atOnce = (work: () => void): void => work();

export function createIntentLock(parts: IntentLockParts): IntentLock {
  const { calls, folder, newId, now, self, warn, nextTurn = atOnce } = parts;
  let entries = entriesOf(readKept(parts));
  /** True while the file lists runs that have ended. */
  let isBehind = false;
  let isScheduled = false;

  const save = (next: Entries): void => {
    replaceFile(calls, path.join(folder, FILE), encodeIntents(intentsOf([...next.values()])), newId());
    entries = next;
    isBehind = false;
  };
  const flush = (): void => {
    if (isBehind) save(entries);
  };
  const flushLater = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    nextTurn(() => {
      isScheduled = false;
      try {
        flush();
      } catch (thrown) {
        warn(messageOf(thrown));
      }
    });
  };
  const intentOf = (dispatch: Dispatch, attempt_n: number): Entry['intent'] =>
    dispatch.kind === 'run'
      ? { run: { run: dispatch.run, node: dispatch.node, attempt_n, since: now(), ...self } }
      : { task: { task_id: dispatch.task_id, attempt_n } };

  return {
    begin: (dispatch) => {
      const key = keyOf(dispatch);
      const attempt = (entries.get(key)?.attempt ?? 0) + 1;
      save(new Map([...entries, [key, { intent: intentOf(dispatch, attempt), attempt, isPending: false }]]));
      return attempt;
    },
    end: (dispatched) => {
      const key = keyOf(dispatched);
      if (!entries.has(key)) return;
      const left = new Map(entries);
      left.delete(key);
      if (dispatched.kind === 'task') return save(left);
      entries = left;
      isBehind = true;
      flushLater();
    },
    copyTask: (from, to) => {
      const entry = entries.get(keyOf({ kind: 'task', task_id: from }));
      if (entry === undefined) return;
      const task = { task_id: to, attempt_n: entry.attempt };
      save(new Map([...entries, [keyOf({ kind: 'task', ...task }), { ...entry, intent: { task } }]]));
    },
    flush,
    pending: () => intentsOf([...entries.values()].filter(({ isPending }) => isPending)),
  };
}
