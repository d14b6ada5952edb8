import { setTimeout as sleep } from 'node:timers/promises';
import { type ClashCheck, watchWork } from '#clash/index.ts';
import { createNotifier } from '#engine/index.ts';
import type { ClashPair, ClashReport } from '#protocol/clash.ts';
import { oneLine, WORDS } from '../print/clash-pair.ts';
import { styleFor } from '../print/style.ts';
import { whenText } from '../print/time-text.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Milliseconds to wait after a change, since programs write several files at once. */
const QUIET_MS = 100;

/** The longest wait in milliseconds. Each change that made no difference, as in a log file, doubles the wait. */
const LONGEST_QUIET_MS = 5_000;

/** How often everything is read again if the system can't watch all folders, in milliseconds. */
const POLL_MS = 3_000;

const isTrouble = ({ verdict }: ClashPair): boolean =>
  verdict === 'conflict' || verdict === 'clash_proved' || verdict === 'clash_likely';

/** What makes a clash a new one: the pair, the verdict and the files. */
const keyOf = ({ sides, verdict, files }: ClashPair): string => JSON.stringify([sides, verdict, files]);

/** Everything of a report that a person would see, to compare two of them. */
const contentOf = ({ pairs, sides }: ClashReport): string => JSON.stringify([pairs, sides]);

/** Collects changes until they are taken. */
function createChanges() {
  let changed = new Set<string>();
  let next = Promise.withResolvers<null>();
  return {
    add: (worktree: string | null): void => {
      if (worktree !== null) changed.add(worktree);
      next.resolve(null);
    },
    /** Resolves when there is a change. */
    some: (): Promise<null> => next.promise,
    take: (): ReadonlySet<string> => {
      const taken = changed;
      changed = new Set();
      next = Promise.withResolvers();
      return taken;
    },
  };
}

interface WatchParts {
  readonly check: ClashCheck;
  /** `changed`: the worktrees to read again; null for all. */
  readonly compare: (changed: ReadonlySet<string> | null) => Promise<ClashReport>;
  readonly print: (report: ClashReport) => Promise<number>;
  readonly interrupted: AbortSignal;
}

/** Prints the comparison whenever it changes, until it is interrupted, and notifies the user once of each new clash. */
export async function watchClashes({ check, compare, print, interrupted }: WatchParts, io: CliIo): Promise<number> {
  const changes = createChanges();
  const watch = watchWork(check.repository, changes.add);
  const notifier = createNotifier(io.env, (message) => io.stderr.write(`${message}\n`));
  const { paint } = styleFor(io.stdout, io);
  const known = new Set<string>();

  const notify = ({ pairs }: ClashReport, isFirst: boolean): void => {
    for (const pair of pairs.filter(isTrouble)) {
      if (known.has(keyOf(pair)) || isFirst) continue;
      if (io.stdout.isTerminal) io.stdout.write('\u0007');
      notifier.notify({
        title: oneLine(`${WORDS[pair.verdict]}: ${pair.sides.join(' and ')}`),
        text: oneLine(pair.files.join(', ')),
        command: 'robosmith clash',
        project: check.repository.folder,
        run: null,
        session: null,
        at: Date.now(),
      });
    }
    for (const pair of pairs.filter(isTrouble)) known.add(keyOf(pair));
  };

  let [shown, code, quiet] = ['', 0, QUIET_MS];
  const update = async (changed: ReadonlySet<string> | null): Promise<void> => {
    const report = await compare(changed);
    await watch.cover(
      report.sides.flatMap(({ path, not_compared: why }) => (path === null || why !== null ? [] : [path])),
    );
    if (contentOf(report) === shown) {
      quiet = Math.min(quiet * 2, LONGEST_QUIET_MS);
      return;
    }
    if (shown !== '') io.stdout.write(`\n${paint.dim(whenText(Date.now()))}\n`);
    code = await print(report);
    notify(report, shown === '');
    [shown, quiet] = [contentOf(report), QUIET_MS];
  };

  const ended = new Promise<void>((resolve) => interrupted.addEventListener('abort', () => resolve(), { once: true }));
  try {
    await update(null);
    // Changes between the comparison and the start of the watches cause no event.
    await update(null);
    while (!interrupted.aborted) {
      const poll =
        watch.trouble() === null ? [] : [sleep(POLL_MS, undefined, { signal: interrupted }).catch(() => undefined)];
      await Promise.race([changes.some(), ended, ...poll]);
      await sleep(quiet, undefined, { signal: interrupted }).catch(() => undefined);
      const taken = changes.take();
      if (!interrupted.aborted) await update(watch.trouble() === null ? taken : null);
    }
  } finally {
    watch.close();
    await notifier.idle();
  }
  return code;
}
