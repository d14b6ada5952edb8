import { lineOf } from '#io/git/plumbing/quiet-git.ts';
import { type Refusal, refused } from '#io/git/plumbing/refusal.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import type { ListedWorktree } from '#protocol/worktree.ts';

/** A side before its work is read. */
export interface Side {
  readonly id: string;
  readonly name: string;
  readonly kind: 'worktree' | 'revision' | 'pull_request';
  readonly path: string | null;
  readonly branch: string | null;
  readonly head: string | null;
  /** True if work is merged into it and it is not to be merged itself. */
  readonly isBase: boolean;
  /** The `id` of its base; null if none is known. */
  readonly base: string | null;
  /** The branch that a pull request names as its base; null for all else. */
  readonly target: string | null;
  readonly locked: boolean;
  /** Why its work can't be read; null if nothing prevents it so far. */
  readonly trouble: string | null;
}

interface Ref {
  readonly name: string;
  readonly commit: string;
  readonly upstream: string;
  readonly target: string;
}

/** The branches of a repository, with full names such as `refs/heads/main`. */
type Refs = ReadonlyMap<string, Ref>;

const HEADS = 'refs/heads/';
const REMOTES = 'refs/remotes/';
const FORMAT = '--format=%(refname)%00%(objectname)%00%(upstream)%00%(symref)';

async function readRefs({ git, folder }: ReadOnlyRepository): Promise<Refs> {
  const listed = await git(folder, ['for-each-ref', FORMAT, 'refs/heads', 'refs/remotes']);
  const rows = listed.out.split('\n').filter((line) => line !== '');
  return new Map(
    rows.map((row) => {
      const [name = '', commit = '', upstream = '', target = ''] = row.split('\0');
      return [name, { name, commit, upstream, target }];
    }),
  );
}

/** Returns the name of a branch without its remote. */
const shortName = (ref: string): string =>
  ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref.slice(REMOTES.length).split('/').slice(1).join('/');

/** Returns the local branch that corresponds to a ref, else the ref itself if it exists, else null. */
function localFirst(ref: string, refs: Refs): string | null {
  const local = HEADS + shortName(ref);
  return refs.has(local) ? local : refs.has(ref) ? ref : null;
}

/**
 * Returns the default branch: what the remote names, else what git would create first, else `main` or `master`, else
 * the branch of the main worktree.
 */
function defaultBranch({ settings }: ReadOnlyRepository, refs: Refs, main: ListedWorktree | undefined): string | null {
  const ofRemote = [...refs.values()].find(({ name }) => /^refs\/remotes\/[^/]+\/HEAD$/.test(name))?.target;
  const names = [settings.get('init.defaultbranch'), 'main', 'master', main?.branch ?? undefined];
  const candidates = [ofRemote, ...names.map((name) => (name === undefined ? undefined : HEADS + name))];
  for (const ref of candidates) {
    const found = ref === undefined || ref === '' ? null : localFirst(ref, refs);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the ref that a branch is to be merged into. An upstream with the branch's own name is only its copy. */
function baseOf(branch: string | null, refs: Refs, otherwise: string | null): string | null {
  const upstream = branch === null ? '' : (refs.get(HEADS + branch)?.upstream ?? '');
  return upstream === '' || shortName(upstream) === branch ? otherwise : (localFirst(upstream, refs) ?? otherwise);
}

const readableRef = (ref: string): string =>
  ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref.slice(REMOTES.length);

function troubleOf(one: ListedWorktree): string | null {
  if (!one.isThere) return one.prunable === null ? 'its folder is missing' : `its folder is missing: ${one.prunable}`;
  return one.head === null ? 'it has no commit yet' : null;
}

const lastPart = (file: string): string => file.split(/[\\/]/).filter(Boolean).at(-1) ?? file;

/** Returns the side of a worktree. A worktree in the middle of a rebase is shown with the branch that it rebases. */
function worktreeSide(one: ListedWorktree, isTaken: (name: string) => boolean): Side {
  const detached = `${lastPart(one.path)} (detached)`;
  const wanted = one.branch ?? detached;
  return {
    id: one.path,
    name: isTaken(wanted) ? one.path : wanted,
    kind: 'worktree',
    path: one.path,
    branch: one.branch,
    head: one.head,
    isBase: false,
    base: null,
    target: null,
    locked: one.locked !== null,
    trouble: troubleOf(one),
  };
}

/** A side that is not a worktree: a commit with a name. */
export const revisionSide = (name: string, head: string, kind: Side['kind'] = 'revision'): Side => ({
  id: `${kind} ${name}`,
  name,
  kind,
  path: null,
  branch: null,
  head,
  isBase: false,
  base: null,
  target: null,
  locked: false,
  trouble: null,
});

export interface SidesRequest {
  /** The base for all sides; null for each one's own. */
  readonly base: string | null;
  /** Patterns of branches that are compared even without a worktree. */
  readonly branches: readonly string[];
  readonly pullRequests: readonly Side[];
}

/** Returns the commit that a name refers to; null if there is none. */
export async function commitNamed({ git, folder }: ReadOnlyRepository, name: string): Promise<string | null> {
  const found = await git(folder, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`]);
  return found.ok ? lineOf(found) : null;
}

async function branchesLike(
  { git, folder }: ReadOnlyRepository,
  patterns: readonly string[],
): Promise<readonly Side[]> {
  if (patterns.length === 0) return [];
  const listed = await git(folder, ['for-each-ref', FORMAT, ...patterns.map((one) => HEADS + one)]);
  return listed.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', commit = ''] = line.split('\0');
      return { ...revisionSide(shortName(ref), commit), branch: shortName(ref) };
    });
}

/** Lists everything that can be compared: worktrees, the requested branches and pull requests, and their bases. */
export async function listSides(
  repository: ReadOnlyRepository,
  request: SidesRequest,
): Promise<readonly Side[] | Refusal> {
  const listed = await repository.worktrees();
  if ('kind' in listed) return listed;
  const refs = await readRefs(repository);
  const sides: Side[] = [];
  for (const one of listed)
    if (!one.isBare) sides.push(worktreeSide(one, (name) => sides.some((side) => side.name === name)));
  const branches = await branchesLike(repository, request.branches);
  if (request.branches.length > 0 && branches.length === 0)
    return refused('missing', `no branch matches ${request.branches.join(', ')}`);
  for (const one of [...branches, ...request.pullRequests])
    if (!sides.some((side) => side.name === one.name)) sides.push(one);
  const given = request.base === null ? null : await commitNamed(repository, request.base);
  if (request.base !== null && given === null)
    return refused('missing', `--base ${request.base}: there is no such branch or commit`);
  const main = listed.find((one) => one.isMain);
  const otherwise = defaultBranch(repository, refs, main);
  const bases = new Map<string, Side>();
  /** Returns the side of a base: the worktree that has its branch, else a side without a worktree. */
  const baseSide = (name: string, commit: string): Side => {
    const known = bases.get(name) ?? sides.find(({ branch, id }) => branch === name || id === name);
    const side = known ?? revisionSide(name, commit);
    bases.set(name, side);
    return side;
  };
  const withBase = sides.map((side): Side => {
    if (request.base !== null && given !== null) return { ...side, base: baseSide(request.base, given).id };
    const wanted = side.target === null ? null : localFirst(`${REMOTES}origin/${side.target}`, refs);
    const ref = wanted ?? baseOf(side.branch, refs, otherwise);
    const commit = ref === null ? undefined : refs.get(ref)?.commit;
    return ref === null || commit === undefined ? side : { ...side, base: baseSide(readableRef(ref), commit).id };
  });
  const added = [...bases.values()].filter(({ id }) => !sides.some((side) => side.id === id));
  return [
    ...withBase.map((side) => (side.base === side.id ? { ...side, isBase: true, base: null } : side)),
    ...added.map((side) => ({ ...side, isBase: true })),
  ];
}
