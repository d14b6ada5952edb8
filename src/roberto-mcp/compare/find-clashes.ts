import { indexPaths } from '../resolve/index-paths.ts';
import { baseName, folderOf } from '../resolve/project-files.ts';
import { createResolver, isResolutionConfig, type Resolver } from '../resolve/resolver.ts';
import { addedUses, type Branch } from './added-uses.ts';
import { changedSymbols, type SymbolChange, type SymbolChangeKind } from './changed-symbols.ts';
import { addedRows, changedFiles, type FileChange, listCommit, readCommitFiles } from './commit-files.ts';
import { type FileVersion, readVersions } from './read-version.ts';

export type ClashKind = SymbolChangeKind | 'duplicate' | 'migration' | 'moved_file';
export type BranchName = 'ours' | 'theirs';

export interface ClashSide {
  readonly branch: BranchName;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Two changes, one in each branch, that git merges without conflict but that probably don't work together. */
export interface LikelyClash {
  readonly kind: ClashKind;
  readonly name: string;
  readonly why: string;
  readonly change: ClashSide;
  readonly use: ClashSide;
}

interface Side extends Branch {
  readonly name: BranchName;
  readonly changes: readonly FileChange[];
  readonly symbols: readonly SymbolChange[];
  readonly paths: ReadonlySet<string>;
}

const MAX_CONFIGS = 300;

async function resolverOf(root: string, commit: string, paths: readonly string[]): Promise<Resolver> {
  const configs = await readCommitFiles(root, commit, paths.filter(isResolutionConfig).slice(0, MAX_CONFIGS));
  return createResolver(indexPaths(paths, (path) => configs.get(path) ?? null));
}

async function readSide(root: string, base: string, commit: string, name: BranchName): Promise<Side> {
  const changes = await changedFiles(root, base, commit);
  const paths = await listCommit(root, commit);
  const [before, files, rows, resolver] = [
    await readVersions(
      await readCommitFiles(
        root,
        base,
        changes.filter(({ status }) => status !== 'added').map(({ from }) => from),
      ),
    ),
    await readVersions(
      await readCommitFiles(
        root,
        commit,
        changes.filter(({ status }) => status !== 'removed').map(({ to }) => to),
      ),
    ),
    await addedRows(root, base, commit),
    await resolverOf(root, commit, paths),
  ];
  const symbols = changes.flatMap((change) => {
    const old = before.get(change.from);
    return old === undefined ? [] : changedSymbols({ before: old, after: files.get(change.to), change });
  });
  return { name, changes, symbols, files, addedRows: rows, resolver, paths: new Set(paths) };
}

function brokenUses(changer: Side, user: Side): readonly LikelyClash[] {
  return changer.symbols.flatMap((change) =>
    addedUses(change, user).map((use) => ({
      kind: change.kind,
      name: change.container === null ? change.name : `${change.container}.${change.name}`,
      why: change.why,
      change: { branch: changer.name, file: change.changedFile, line: change.changedLine, text: change.changedText },
      use: { branch: user.name, ...use },
    })),
  );
}

/** Returns clashes of imports that one branch added with a file that the other branch moved or removed. */
function movedFiles(changer: Side, user: Side): readonly LikelyClash[] {
  const gone = changer.changes.filter(
    ({ status, from }) => (status === 'renamed' || status === 'removed') && !changer.paths.has(from),
  );
  return gone.flatMap(({ from, to, status }) =>
    [...user.files.values()].flatMap((version) =>
      version.extraction.imports
        .filter(({ row }) => user.addedRows.get(version.path)?.has(row) === true)
        .filter((entry) => user.resolver.resolve(version.language, version.path, entry).includes(from))
        .filter(() => version.language !== 'go' && version.language !== 'java')
        .map((entry): LikelyClash => ({
          kind: 'moved_file',
          name: from,
          why: status === 'renamed' ? `the file was renamed to ${to}` : 'the file was removed',
          change: {
            branch: changer.name,
            file: status === 'renamed' ? to : from,
            line: 1,
            text: status === 'renamed' ? `${from} -> ${to}` : from,
          },
          use: {
            branch: user.name,
            file: version.path,
            line: entry.row + 1,
            text: (version.lines[entry.row] ?? '').trim(),
          },
        })),
    ),
  );
}

interface AddedSymbol {
  readonly scope: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const PACKAGE_SCOPE = new Set(['go', 'java', 'kotlin']);
const DEFINING = new Set([
  'class',
  'constant',
  'enum',
  'function',
  'interface',
  'macro',
  'struct',
  'trait',
  'type',
  'variable',
]);

function addedSymbols({ files, addedRows: rows }: Side): readonly AddedSymbol[] {
  return [...files.values()].flatMap((version: FileVersion) =>
    version.extraction.definitions
      .filter(
        ({ row, parent, kind, name }) =>
          parent === -1 &&
          DEFINING.has(kind) &&
          name !== 'main' &&
          name !== 'init' &&
          rows.get(version.path)?.has(row) === true,
      )
      .map(({ name, row }) => ({
        scope: PACKAGE_SCOPE.has(version.language) ? `${folderOf(version.path)}/` : version.path,
        name,
        file: version.path,
        line: row + 1,
        text: (version.lines[row] ?? '').trim(),
      })),
  );
}

function duplicates(ours: Side, theirs: Side): readonly LikelyClash[] {
  const others = new Map(addedSymbols(theirs).map((one) => [`${one.scope}\0${one.name}`, one]));
  return addedSymbols(ours).flatMap(({ scope, name, file, line, text }) => {
    const other = others.get(`${scope}\0${name}`);
    if (other === undefined || (other.file === file && other.line === line && other.text === text)) return [];
    return [
      {
        kind: 'duplicate' as const,
        name,
        why: 'both branches define it',
        change: { branch: 'ours' as const, file, line, text },
        use: { branch: 'theirs' as const, file: other.file, line: other.line, text: other.text },
      },
    ];
  });
}

const MIGRATION = /^V?0*(\d+)(?:__|[_-])/u;
const MIGRATION_FOLDER = /(?:^|\/)(?:migrations?|migrate|db\/changes)(?:\/|$)/u;

function migrations(ours: Side, theirs: Side): readonly LikelyClash[] {
  const added = ({ changes }: Side): readonly { readonly key: string; readonly path: string }[] =>
    changes.flatMap(({ status, to }) => {
      const number = MIGRATION.exec(baseName(to))?.[1];
      return status === 'added' && number !== undefined && MIGRATION_FOLDER.test(folderOf(to))
        ? [{ key: `${folderOf(to)}\0${number}`, path: to }]
        : [];
    });
  const others = added(theirs);
  return added(ours).flatMap(({ key, path }) =>
    others
      .filter((other) => other.key === key && other.path !== path)
      .map(({ path: other }) => ({
        kind: 'migration' as const,
        name: baseName(path),
        why: 'two migrations have the same number',
        change: { branch: 'ours' as const, file: path, line: 1, text: baseName(path) },
        use: { branch: 'theirs' as const, file: other, line: 1, text: baseName(other) },
      })),
  );
}

/**
 * Finds likely semantic clashes between two commits with a common base. Equal names alone are no evidence: the other
 * branch must have added a line that resolves to the changed symbol.
 */
export async function findClashes(
  root: string,
  base: string,
  ours: string,
  theirs: string,
): Promise<readonly LikelyClash[]> {
  const [a, b] = [await readSide(root, base, ours, 'ours'), await readSide(root, base, theirs, 'theirs')];
  const found = [
    ...brokenUses(a, b),
    ...brokenUses(b, a),
    ...movedFiles(a, b),
    ...movedFiles(b, a),
    ...duplicates(a, b),
    ...migrations(a, b),
  ];
  return dropExplained(found);
}

/** Drops clashes that a moved file already explains: moving a file also removes its symbols from the old path. */
function dropExplained(clashes: readonly LikelyClash[]): readonly LikelyClash[] {
  const moved = new Set(
    clashes.filter(({ kind }) => kind === 'moved_file').map(({ name, use }) => `${name}\0${use.file}`),
  );
  return clashes.filter(
    ({ kind, change, use }) =>
      kind === 'moved_file' || !(kind === 'removed' && moved.has(`${change.file}\0${use.file}`)),
  );
}
