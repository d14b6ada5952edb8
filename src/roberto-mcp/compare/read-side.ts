import { indexPaths } from '../resolve/index-paths.ts';
import { folderOf } from '../resolve/project-files.ts';
import { createResolver, isResolutionConfig, type Resolver } from '../resolve/resolver.ts';
import { changedSymbols } from './changed-symbols.ts';
import {
  addedRows,
  changedFiles,
  type FileChange,
  type Hunk,
  listCommit,
  readCommitFiles,
  readHunks,
} from './commit-files.ts';
import type { BranchName } from './likely-clash.ts';
import type { Branch } from './reach.ts';
import { type FileVersion, isCode, readVersions } from './read-version.ts';
import type { SymbolChange } from './symbol-change.ts';

/** One of the two branches that are compared. */
export interface Side extends Branch {
  readonly name: BranchName;
  readonly commit: string;
  readonly hunks: readonly Hunk[];
  readonly changes: readonly FileChange[];
  readonly symbols: readonly SymbolChange[];
  readonly paths: ReadonlySet<string>;
  /** The changed source files that were not compared: too many, too large, or too costly to parse. */
  readonly leftOut: readonly string[];
}

const MAX_CONFIGS = 300;

async function resolverOf(root: string, commit: string, paths: readonly string[]): Promise<Resolver> {
  const configs = await readCommitFiles(root, commit, paths.filter(isResolutionConfig).slice(0, MAX_CONFIGS));
  return createResolver(indexPaths(paths, (path) => configs.get(path) ?? null));
}

/** Limits on the files that are read in addition to the changed ones, so that a comparison takes only seconds. */
const MAX_IMPORTED = 200;
const MAX_ROUNDS = 3;

/** Reads the unchanged files that changed files import, and the files that those re-export from. */
async function readImported(
  root: string,
  commit: string,
  files: ReadonlyMap<string, FileVersion>,
  resolver: Resolver,
): Promise<ReadonlyMap<string, FileVersion>> {
  const imported = new Map<string, FileVersion>();
  let round: Iterable<FileVersion> = files.values();
  for (let count = 0; count < MAX_ROUNDS; count += 1) {
    const wanted = new Set<string>();
    for (const { language, path, extraction } of round)
      for (const entry of extraction.imports) {
        if (count > 0 && !entry.reexport && language !== 'python') continue;
        for (const target of resolver.resolve(language, path, entry))
          if (!files.has(target) && !imported.has(target)) wanted.add(target);
      }
    if (wanted.size === 0 || imported.size >= MAX_IMPORTED) break;
    const read = await readVersions(await readCommitFiles(root, commit, [...wanted].slice(0, MAX_IMPORTED)));
    for (const [path, version] of read) imported.set(path, version);
    round = read.values();
  }
  return imported;
}

const SHARED_FOLDER = new Set(['go', 'java', 'kotlin']);

const sharing = (old: FileVersion, files: ReadonlyMap<string, FileVersion>): readonly FileVersion[] =>
  SHARED_FOLDER.has(old.language)
    ? [...files.values()].filter(({ path }) => path !== old.path && folderOf(path) === folderOf(old.path))
    : [];

/**
 * Maximum number of changed files per branch that are analysed. More changes suggest mass reformatting and would take
 * minutes.
 */
const MAX_CHANGED = 600;

/** Returns the paths of source files that have no complete version. */
const missingOf = (paths: readonly string[], versions: ReadonlyMap<string, FileVersion>): readonly string[] =>
  paths.filter((path) => isCode(path) && (versions.get(path)?.extraction.state ?? 'aborted') === 'aborted');

/** Reads the changes that a branch made since the merge base. */
export async function readSide(root: string, base: string, commit: string, name: BranchName): Promise<Side> {
  const all = await changedFiles(root, base, commit);
  const changes = all.slice(0, MAX_CHANGED);
  const paths = await listCommit(root, commit);
  const old = changes.filter(({ status }) => status !== 'added').map(({ from }) => from);
  const now = changes.filter(({ status }) => status !== 'removed').map(({ to }) => to);
  const before = await readVersions(await readCommitFiles(root, base, old));
  const files = await readVersions(await readCommitFiles(root, commit, now));
  const resolver = await resolverOf(root, commit, paths);
  const symbols = changes.flatMap((change) => {
    const version = before.get(change.from);
    return version === undefined
      ? []
      : changedSymbols({ before: version, after: files.get(change.to), change, sharing: sharing(version, files) });
  });
  const hunks = await readHunks(root, base, commit);
  return {
    name,
    commit,
    hunks,
    changes,
    symbols,
    files,
    imported: await readImported(root, commit, files, resolver),
    addedRows: addedRows(hunks),
    resolver,
    paths: new Set(paths),
    leftOut: [
      ...all.slice(MAX_CHANGED).flatMap(({ to }) => (isCode(to) ? [to] : [])),
      ...new Set([...missingOf(old, before), ...missingOf(now, files)]),
    ],
  };
}
