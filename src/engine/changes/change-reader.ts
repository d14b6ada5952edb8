import path from 'node:path';
import { createGit } from '#io/git/plumbing/git.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import { processes } from '#io/process/process.ts';
import type { RunId } from '#protocol/id.ts';
import type { ChangeReader, DiffRequest, DirectoryDiff } from '#protocol/services.ts';
import type { Session } from '#protocol/session.ts';
import { type DiffWanted, prefixOf, type SessionDiff, sessionDiff, uncommittedDiff } from './session-diff.ts';

const git = createGit(processes);

/** The maximum number of lines of one file in a diff for a model. */
const FILE_LINES = 2_000;
/** The maximum number of commits that are searched for the run's own commits. */
const MOST_COMMITS = 200;

interface ReaderParts {
  readonly root: string;
  /** The run's directory, absolute. */
  readonly directory: string;
  /** Returns the current state of the session, whose base may have changed; null if the run has no session. */
  readonly session: () => Session | null;
  readonly redact: (text: string) => string;
}

const NO_GIT = 'the directory of the run is not in a git repository with a commit';

/** Returns the last commit that the run did not make. The commits of `Internal:GitCommit` name their run in a trailer. */
async function beforeRun(directory: string, run: RunId): Promise<string> {
  const format = '--format=%H %(trailers:key=RoboSmith-Step,valueonly,separator=%x2C)';
  const args = ['log', '--first-parent', `--max-count=${MOST_COMMITS}`, '--no-show-signature', format, 'HEAD', '--'];
  const { out } = await git(directory, args);
  const isOwn = (line: string): boolean =>
    line
      .slice(line.indexOf(' ') + 1)
      .split(',')
      .some((step) => step.startsWith(`${run}/`));
  const other = out.split('\n').find((line) => line !== '' && !isOwn(line));
  return other?.slice(0, other.indexOf(' ')) ?? 'HEAD';
}

/** Creates the reader of one run's changes. */
export function createChangeReader({ root, directory, session, redact }: ReaderParts): ChangeReader {
  const outbound = createOutbound(path.resolve(root), path.resolve(directory));

  const diffOf = async ({ since, run }: DiffRequest, wanted: DiffWanted): Promise<SessionDiff | string> => {
    const of = since === 'base' ? session() : null;
    if (of !== null) {
      const diff = await sessionDiff(of, root, wanted);
      return diff.ok ? diff : diff.why;
    }
    const from = since === 'commit' ? 'HEAD' : await beforeRun(directory, run);
    return (await uncommittedDiff(directory, wanted, from)) ?? NO_GIT;
  };

  /** Returns the changed files, relative to the top of the repository, that must not leave the machine. */
  const keptBackOf = async ({ files }: SessionDiff, prefix: string): Promise<readonly string[]> => {
    const kept: string[] = [];
    for (const { path: file, from } of files)
      for (const name of from === null ? [file] : [file, from])
        // The rules are about files below the run's directory.
        if (name.startsWith(prefix) && !(await outbound.mayLeave(name.slice(prefix.length)))) kept.push(name);
    return kept;
  };

  return {
    read: async (request) => {
      const prefix = await prefixOf(directory);
      const given = request.paths.map((name) => prefix + name.replace(/^\.\//, '').replace(/\/$/, ''));
      // For a run in a subfolder of a repository, only the changes in that folder count.
      const paths = given.length > 0 || prefix === '' ? given : [prefix.slice(0, -1)];
      const listed = await diffOf(request, { paths, limits: null, redact });
      if (typeof listed === 'string') return { problem: listed };
      const except = await keptBackOf(listed, prefix);
      const limits = { fileLines: FILE_LINES, bytes: request.maxBytes };
      const diff = await diffOf(request, { paths, except, limits, redact });
      return typeof diff === 'string' ? { problem: diff } : asRead(diff, except);
    },
  };
}

const asRead = (
  { since, files, added, deleted, patch, omitted }: SessionDiff,
  keptBack: readonly string[],
): DirectoryDiff => ({
  since,
  files: files.map((file) => ({ path: file.path, added: file.added, deleted: file.deleted })),
  added,
  deleted,
  patch: patch ?? '',
  omitted,
  keptBack,
});
