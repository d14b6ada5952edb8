import {
  type DiskUse,
  projectDisk,
  projectInbox,
  projectStatus,
  type ProjectStatus,
  runExecutions,
  sessionDiff,
  uncommittedDiff,
  watchProject,
} from '#engine/index.ts';
import { spentByRun } from '#engine/authoring.ts';
import type { RunId } from '#protocol/id.ts';
import type { Inbox } from '#protocol/inbox.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import type { Session } from '#protocol/session.ts';
import type { SnapshotFacts, ItemChanges } from './item.ts';
import { snapshotOf } from './item.ts';
import type { Message } from './model.ts';
import type { ConsoleSource } from './run-console.ts';
import type { ConsoleClock } from './terminal.ts';

/** The interval in milliseconds between queries of git. After an event, git is queried at once. */
const READ_MS = 5_000;
const DISK_MS = 60_000;
/** The interval in milliseconds at which live output is displayed. */
const SAID_MS = 500;

/** Called with the last output of a run; null once the block that produced it has ended. */
export type OnSaid = (run: string, text: string | null) => void;

/** Follows the live output of runs. `look` must be called from time to time, because a host may start later. */
export type FollowOutput = (onSaid: OnSaid) => { look(): void; end(): void };

interface ReadParts {
  readonly root: string;
  readonly disk: boolean;
  readonly all: boolean;
  readonly clock: ConsoleClock;
  readonly followOutput: FollowOutput;
}

const COUNTS = { paths: [], limits: null, redact: (text: string): string => text };

/** Creates a cache. A value is computed again only if the text that describes its source has changed. */
function createCache<Value>() {
  const known = new Map<string, { readonly source: string; readonly value: Value }>();
  return {
    get: (key: string, source: string, compute: () => Value): Value => {
      const found = known.get(key);
      if (found?.source === source) return found.value;
      const value = compute();
      known.set(key, { source, value });
      return value;
    },
    /** Removes the values of all keys except these. */
    keep: (keys: ReadonlySet<string>): void => {
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    },
  };
}

/** Returns the end of the last output of a run, from its journal. */
function lastOutput(root: string, run: RunId): string {
  const last = runExecutions(root, run).findLast((one) => one.kind === 'executed' && one.append.length > 0);
  return last?.kind === 'executed' ? (last.append.at(-1)?.content.slice(-8_192) ?? '') : '';
}

async function countsOf(session: Session, root: string): Promise<ItemChanges | null> {
  const diff = await sessionDiff(session, root, COUNTS).catch(() => null);
  return diff?.ok === true && diff.files.length > 0
    ? { added: diff.added, deleted: diff.deleted, files: diff.files.length }
    : null;
}

async function countsIn(directory: string | null): Promise<ItemChanges | null> {
  const diff = directory === null ? null : await uncommittedDiff(directory, COUNTS).catch(() => null);
  return diff !== null && diff.files.length > 0
    ? { added: diff.added, deleted: diff.deleted, files: diff.files.length }
    : null;
}

/** Counts of changes, each with a text that describes what it was computed from. */
type Counted = Map<string, { readonly source: string; readonly counts: ItemChanges | null }>;

/** The interval in milliseconds at which the changes of an item are counted even if its run has made no step. */
const COUNT_MS = 15_000;

const isLive = ({ session: { state, base } }: SessionListing): boolean =>
  state !== 'merged' && state !== 'discarded' && base !== null;

/**
 * Counts the changes of the items, one item at a time. An item is counted again if its state has changed, or once every
 * `COUNT_MS`.
 */
async function countChanges(root: string, { sessions, runs }: ProjectStatus, known: Counted, now: number) {
  const period = Math.floor(now / COUNT_MS);
  const kept = new Set<string>();
  const count = async (key: string, state: string, read: () => Promise<ItemChanges | null>): Promise<void> => {
    const source = `${state} ${period}`;
    kept.add(key);
    if (known.get(key)?.source !== source) known.set(key, { source, counts: await read() });
  };
  for (const { session, run, health } of sessions.filter(isLive))
    await count(session.id, `${session.updatedAt} ${run?.steps ?? 0} ${health.reason}`, () => countsOf(session, root));
  for (const { run, steps, status, directory } of runs)
    await count(run, `${steps} ${status}`, () => countsIn(directory));
  for (const key of known.keys()) if (!kept.has(key)) known.delete(key);
}

const changesIn = (known: Counted): ReadonlyMap<string, ItemChanges> =>
  new Map([...known].flatMap(([key, { counts }]) => (counts === null ? [] : [[key, counts] as const])));

/** The minimum pause between two reads in milliseconds, since a busy run writes several events per second. */
const PAUSE_MS = 1_000;
/**
 * The minimum pause after a read, as a multiple of the duration of the read, so that reading takes only a small part of
 * the time.
 */
const PAUSE_FACTOR = 5;

/**
 * Returns functions that request `work`. It never runs twice at once, runs with pauses in between, and runs again if it
 * was requested meanwhile.
 */
function createPacer(work: () => Promise<void>, clock: ConsoleClock, isOver: () => boolean) {
  let isWorking = false;
  let isDue = false;
  let restsUntil = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    while (isDue && !isWorking && !isOver() && clock.now() >= restsUntil) {
      isDue = false;
      isWorking = true;
      const began = clock.now();
      await work();
      isWorking = false;
      restsUntil = clock.now() + Math.max(PAUSE_MS, (clock.now() - began) * PAUSE_FACTOR);
    }
  };
  const ask = (): void => {
    isDue = true;
    void look();
  };
  return {
    look: (): void => void look(),
    ask,
    askNow: (): void => {
      restsUntil = Number.NEGATIVE_INFINITY;
      ask();
    },
  };
}

/** Everything that was read so far. */
interface ReadState {
  status: ProjectStatus | null;
  inbox: Inbox | null;
  disk: DiskUse | null;
  diskAt: number;
  readonly changes: Counted;
}

/** The end of the last output of each run: live output of a host, else from the run's journal. */
function createLastOutputs(root: string) {
  const live = new Map<string, string>();
  const stored = createCache<string>();
  let isNew = false;
  return {
    /** Takes live output; null once the block that produced it has ended. */
    take: (run: string, text: string | null): void => {
      if (text === null) live.delete(run);
      else live.set(run, text);
      isNew = true;
    },
    /** True if live output was taken after the last call of `of`. */
    isNew: (): boolean => isNew,
    of: ({ sessions, runs }: ProjectStatus): ReadonlyMap<string, string> => {
      isNew = false;
      const all = [...sessions.flatMap(({ run }: SessionListing) => run ?? []), ...runs];
      stored.keep(new Set(all.map(({ run }) => run)));
      return new Map(
        all.map(({ run, steps, updated_at }) => [
          run,
          live.get(run) ?? stored.get(run, `${steps} ${updated_at}`, () => lastOutput(root, run)),
        ]),
      );
    },
  };
}

/** Returns the project as a source for the console: it reads files and git, and follows the output of a live host. */
export function projectSource({ root, disk, all, clock, followOutput }: ReadParts): ConsoleSource {
  const known: ReadState = {
    status: null,
    inbox: null,
    disk: null,
    diskAt: Number.NEGATIVE_INFINITY,
    changes: new Map(),
  };
  const outputs = createLastOutputs(root);
  let isOver = false;
  let post: (message: Message) => void = () => undefined;
  const stops: (() => void)[] = [];

  const show = (): void => {
    const { status, inbox } = known;
    if (status === null || inbox === null || isOver) return;
    const facts: SnapshotFacts = {
      status,
      inbox,
      changes: changesIn(known.changes),
      said: outputs.of(status),
      costs: status.runs.length === 0 ? new Map() : spentByRun(root),
      disk: known.disk,
      all,
    };
    post({ kind: 'read', snapshot: snapshotOf(facts) });
  };
  const measure = async (): Promise<void> => {
    if (!disk || clock.now() - known.diskAt < DISK_MS) return;
    known.diskAt = clock.now();
    known.disk = await projectDisk(root);
  };
  const pacer = createPacer(
    async () => {
      try {
        output?.look();
        known.status = await projectStatus(root);
        known.inbox = await projectInbox(root, known.status.sessions);
        show();
        await countChanges(root, known.status, known.changes, clock.now());
        await measure();
        show();
      } catch (thrown) {
        if (!isOver) post({ kind: 'unreadable', why: messageOf(thrown) });
      }
    },
    clock,
    () => isOver,
  );
  let output: ReturnType<FollowOutput> | null = null;
  return {
    start: (given) => {
      post = given;
      output = followOutput(outputs.take);
      stops.push(
        output.end,
        watchProject(root, pacer.ask),
        clock.every(READ_MS, pacer.ask),
        clock.every(SAID_MS, () => {
          pacer.look();
          if (outputs.isNew()) show();
        }),
      );
      pacer.ask();
    },
    refresh: () => {
      // All changes are counted again, because a person may have changed files in a shell.
      for (const [key, { counts }] of known.changes) known.changes.set(key, { source: '', counts });
      pacer.askNow();
    },
    stop: () => {
      isOver = true;
      for (const stop of stops) stop();
    },
  };
}
