import path from 'node:path';
import { keyPlaces } from '#engine/authoring.ts';
import { knownRedactor, prefixOf, type SessionDiff, sessionDiff, storedSessions } from '#engine/index.ts';
import type { Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { changedFileLines, changeSummary } from '../print/change-counts.ts';
import { printJson } from '../print/json.ts';
import { printPatch } from '../print/patch.ts';
import { printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { sessionOrHere } from '../sessions/session-here.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface SessionsDiffOptions {
  readonly stat?: true;
  readonly web?: true;
  readonly json?: true;
}

/** Limits for the diff of all files, and of named ones. */
const ALL = { fileLines: 2_000, bytes: 4_000_000 };
const NAMED = { fileLines: 50_000, bytes: 16_000_000 };

/** Returns all paths that the names may mean: below the current folder, the project, or the top of the repository. */
async function meantBy(names: readonly string[], root: string, io: CliIo): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const prefix = await prefixOf(root);
  const folders = [path.join(prefix, path.relative(root, io.cwd)), prefix, ''];
  const meant = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...new Set(meant.map((one) => one.split(path.sep).join('/').replace(/\/$/, '')))];
}

/** Prints what a session has changed since its base. */
export function sessionsDiff(
  name: string | undefined,
  files: readonly string[],
  options: SessionsDiffOptions,
  io: CliIo,
): Promise<number> {
  if (options.web === true) checkAlone(name, files, options);
  return inProject(options, io, async (root) => {
    const session = sessionOrHere(name, storedSessions(root), io.cwd, 'robosmith sessions diff');
    if (options.web === true) {
      const { showUi } = await import('./ui.ts');
      return showUi(root, session.id, { open: true }, io);
    }
    const paths = await meantBy(files, root, io);
    const limits = options.stat === true ? null : files.length === 0 ? ALL : NAMED;
    const redact = await knownRedactor(keyPlaces(io.env));
    const diff = await sessionDiff(session, root, { paths, limits, redact });
    if (!diff.ok) return printRefused({ code: 'refused', message: diff.why, next: diff.next }, 1, options, io);
    if (options.json === true) printJson({ ...diff, session: session.id }, io.stdout);
    else print(diff, session, files, options, io);
    return 0;
  });
}

function checkAlone(name: string | undefined, files: readonly string[], { stat, json }: SessionsDiffOptions): void {
  if (files.length === 0 && stat === undefined && json === undefined) return;
  throw usageError('--web shows the whole diff in the browser: it takes no files, --stat or --json.', [
    `robosmith sessions diff ${name === undefined ? '' : `${shellWord(name)} `}--web`,
  ]);
}

function print(
  diff: SessionDiff,
  session: Session,
  files: readonly string[],
  { stat }: SessionsDiffOptions,
  io: CliIo,
): void {
  const { id, title } = session;
  if (diff.files.length === 0) {
    const what = files.length === 0 ? 'nothing' : `nothing in ${files.join(', ')}`;
    io.stderr.write(`${harmless(`${title} (${id}) has changed ${what} since its base.`)}\n`);
    return;
  }
  if (stat === true) {
    for (const line of changedFileLines(diff, Infinity, io.stdout, io)) io.stdout.write(`${line}\n`);
    io.stdout.write(`${changeSummary(diff, styleFor(io.stdout, io))}\n`);
    return;
  }
  printPatch(diff.patch ?? '', io.stdout, io);
  if (io.stdout.isTerminal) io.stdout.write(`\n${changeSummary(diff, styleFor(io.stdout, io))}\n`);
  if (diff.omitted > 0) io.stderr.write(`${omittedText(diff.omitted, id, files.length === 0)}\n`);
}

const omittedText = (omitted: number, id: string, isAll: boolean): string =>
  isAll
    ? `${omitted} lines are left out. robosmith sessions diff ${id} <file> shows one file.`
    : `${omitted} lines are left out. The worktree has the files: robosmith sessions terminal ${id}`;
