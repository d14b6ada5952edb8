import { keyPlaces } from '#engine/authoring.ts';
import {
  knownRedactor,
  runDetails,
  type SessionDiff,
  sessionDiff,
  storedSessionOf,
  uncommittedDiff,
} from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { changedFileLines, changeSummary } from '../print/change-counts.ts';
import { printPatch } from '../print/patch.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** The changes that are shown to a person who has to decide about them. */
export interface ShownChanges {
  /** Prints `+12 −3 in 4 files` and the files. */
  printFiles(): void;
  printDiff(): Promise<void>;
}

type Read = (limits: typeof LIMITS | null) => Promise<SessionDiff | null>;

/**
 * The maximum size of a displayed diff, since a terminal keeps only a few thousand lines. `robosmith sessions diff`
 * shows more.
 */
const LIMITS = { fileLines: 400, bytes: 200_000 };
const MOST_FILES = 12;

async function shown(read: Read, what: string, more: string, io: CliIo): Promise<ShownChanges | null> {
  const changes = await read(null);
  if (changes === null || changes.files.length === 0) return null;
  const style = styleFor(io.stderr, io);
  return {
    printFiles: () => {
      io.stderr.write(`${harmless(what)}: ${changeSummary(changes, style)}\n`);
      for (const line of changedFileLines(changes, MOST_FILES, io.stderr, io)) io.stderr.write(`${line}\n`);
    },
    printDiff: async () => {
      const diff = await read(LIMITS);
      if (diff === null) return;
      printPatch(diff.patch ?? '', io.stderr, io);
      if (diff.omitted > 0)
        io.stderr.write(`${style.paint.dim(`${diff.omitted} lines are left out. See them with ${more}`)}\n`);
    },
  };
}

/** Returns what a session has changed since its base; null if nothing has changed, or if git can't determine it. */
export async function changesOfSession(session: Session, root: string, io: CliIo): Promise<ShownChanges | null> {
  const redact = await knownRedactor(keyPlaces(io.env));
  const read: Read = async (limits) => {
    const diff = await sessionDiff(session, root, { paths: [], limits, redact });
    return diff.ok ? diff : null;
  };
  return shown(read, 'Changed since its base', `robosmith sessions diff ${session.id}`, io);
}

/** Returns what a run's session has changed or, without a session, what is not committed in the run's folder. */
export async function changesOfRun(run: RunId, root: string, io: CliIo): Promise<ShownChanges | null> {
  const session = storedSessionOf(root, run);
  if (session !== null) return changesOfSession(session, root, io);
  const directory = runDetails(root, run)?.directory ?? null;
  if (directory === null) return null;
  const redact = await knownRedactor(keyPlaces(io.env));
  const read: Read = (limits) => uncommittedDiff(directory, { paths: [], limits, redact });
  return shown(read, 'Not committed in this folder', 'git diff HEAD', io);
}
