import {
  changedVisits,
  fileIn,
  sessionRange,
  storedSessions,
  symbolLineBetween,
  visitChanges,
  visitSymbolLine,
} from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { VisitChanges } from '#protocol/host.ts';
import type { Session } from '#protocol/session.ts';
import type { Methods } from './methods/methods.ts';
import { countOf, type Params, paramsOf, runOf, textOf } from './methods/read-params.ts';

/** The methods that send the files of sessions. */
export type SessionFileNames = 'session.file' | 'session.visits' | 'session.changes' | 'session.fileIn';

const LONGEST_PATH = 4_096;

function sessionOf(root: string, given: Params): Session {
  const id = textOf(given, 'session', 64);
  const session = storedSessions(root).find((one) => one.id === id);
  if (session !== undefined) return session;
  throw new RoboSmithError('usage', `There is no session "${id}".`, { next: ['robosmith sessions'] });
}

/** Returns the name of a git object. Nothing else may be passed to git. */
function objectOf(given: Params): string {
  const name = textOf(given, 'tree', 64);
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return name;
  throw new RoboSmithError('usage', '"tree" must be the full hash of a commit or a tree.', { parameter: 'tree' });
}

async function changesOf(root: string, given: Params): Promise<VisitChanges | null> {
  const session = sessionOf(root, given);
  const visit = { run: runOf(given), block: textOf(given, 'block', 256), visit: countOf(given, 'visit') };
  const changes = await visitChanges(session, root, visit);
  if (changes === null) return null;
  const files: VisitChanges['files'][number][] = [];
  for (const file of changes.files)
    files.push({
      ...file,
      symbolLine: file.symbols.length === 0 ? null : await visitSymbolLine(session, root, changes, file.path),
    });
  return { ...changes, worktree: session.worktree, files };
}

/** Returns the methods that send both sides of diffs, for an editor. */
export const sessionFileMethods = (root: string): Methods<SessionFileNames> => ({
  'session.file': async (params) => {
    const given = paramsOf(params);
    const path = textOf(given, 'path', LONGEST_PATH);
    const session = sessionOf(root, given);
    const range = await sessionRange(session, root);
    if (range === null) return { from: null, to: null, worktree: session.worktree, symbolLine: null };
    const { directory, from, to } = range;
    return { from, to, worktree: session.worktree, symbolLine: await symbolLineBetween(directory, [from, to], path) };
  },
  'session.visits': async (params) => ({ visits: await changedVisits(sessionOf(root, paramsOf(params)), root) }),
  'session.changes': async (params) => ({ changes: await changesOf(root, paramsOf(params)) }),
  'session.fileIn': async (params) => {
    const given = paramsOf(params);
    const path = textOf(given, 'path', LONGEST_PATH);
    return { text: await fileIn(sessionOf(root, given), root, objectOf(given), path) };
  },
});
