import { withVariables } from '#io/git/readonly/read-only-git.ts';
import { programsOff } from '#io/git/readonly/programs-off.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { hashesOf } from '#io/git/readonly/hashes-of.ts';
import { readWork } from '#io/git/readonly/read-work.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import type { Side } from './sides.ts';

/** The number of worktrees that are read at the same time; the number of git processes is limited elsewhere. */
export const AT_ONCE = 8;

/** The content of a side, as a commit on top of its last one. */
export interface State {
  readonly head: string;
  /** The last commit, or a commit in the temporary folder with what is not committed. */
  readonly commit: string;
  readonly tree: string;
  readonly headTree: string;
  readonly filtered: ReadonlySet<string>;
  readonly notes: readonly string[];
}

export type ReadState =
  { readonly kind: 'state'; readonly state: State } | { readonly kind: 'trouble'; readonly why: string };

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

function notesOf(leftOut: readonly string[], worktrees: ReadonlySet<string>, place: string): readonly string[] {
  // A worktree inside of another one is a side of its own.
  const others = leftOut.filter((name) => !worktrees.has(`${place}/${name.replace(/\/$/, '')}`));
  const [first] = others;
  if (first === undefined) return [];
  return [
    `not compared, because too large, too many or of another repository: ${count(others.length, 'untracked path')} such as ${first}`,
  ];
}

type ReadTree =
  | { readonly tree: string; readonly filtered: readonly string[]; readonly notes: readonly string[] }
  | { readonly why: string };

async function readTree(side: Side, repository: ReadOnlyRepository, worktrees: ReadonlySet<string>): Promise<ReadTree> {
  const { path, head } = side;
  if (path === null || head === null) return { tree: `${head ?? ''}^{tree}`, filtered: [], notes: [] };
  const filters = await repository.filtersOf(path);
  if (filters === null) return { why: 'git can not read its settings; it may belong to another user' };
  const git = withVariables(repository.git, programsOff(filters, repository.drivers));
  const work = await readWork(path, head, { git, objects: repository.objects, filters });
  if (work.kind === 'refused') return { why: work.message.split('\n')[0] ?? work.why };
  return { tree: work.tree, filtered: work.filtered, notes: notesOf(work.leftOut, worktrees, path) };
}

/** Reads the content of the sides. A side that can't be read gets the reason. */
export async function readStates(
  sides: readonly Side[],
  repository: ReadOnlyRepository,
  allPaths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadState>> {
  const states = new Map<string, ReadState>();
  const read = await limitConcurrency(sides, AT_ONCE, async (side) =>
    side.trouble === null ? readTree(side, repository, allPaths) : { why: side.trouble },
  );
  const revisions = sides.flatMap(({ head }, index) => {
    const one = read[index];
    const tree = one !== undefined && 'tree' in one ? [one.tree] : [];
    return head === null ? [] : [`${head}^{tree}`, ...tree];
  });
  const hashes = await hashesOf(repository, revisions);
  for (const [index, side] of sides.entries()) {
    const one = read[index];
    if (one === undefined || 'why' in one) {
      states.set(side.id, { kind: 'trouble', why: one?.why ?? 'it could not be read' });
      continue;
    }
    const head = side.head ?? '';
    const [tree, headTree] = [hashes.get(one.tree), hashes.get(`${head}^{tree}`)];
    if (typeof tree !== 'string' || typeof headTree !== 'string') {
      states.set(side.id, { kind: 'trouble', why: 'its commit is missing in this repository' });
      continue;
    }
    const commit = tree === headTree ? head : await repository.objects.commit(tree, [head]);
    const filtered = new Set(one.filtered);
    states.set(side.id, { kind: 'state', state: { head, commit, tree, headTree, filtered, notes: one.notes } });
  }
  return states;
}
