import type { Git } from '../plumbing/git.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';

/** The part of a history that some commits do not all share. */
export interface History {
  /** Returns all best common ancestors of two of the commits, as `git merge-base --all` does. */
  bases(one: string, other: string): readonly string[];
  /** Returns the number of commits that `one` has and `other` lacks; null for a commit that was not read. */
  ahead(one: string, other: string): number | null;
}

interface Node {
  readonly commit: string;
  /** One bit for each of the commits from which this one can be reached. */
  mask: bigint;
  readonly children: Node[];
}

const newNode = (commit: string, mask: bigint): Node => ({ commit, mask, children: [] });

const bit = (index: number): bigint => 1n << BigInt(index);

/**
 * Reads the commits that not all tips have in common, children before parents, and the best of the common ones. Older
 * commits can't be a best common ancestor of two tips.
 */
async function readNodes(git: Git, folder: string, tips: readonly string[]): Promise<readonly Node[] | Refusal> {
  const shared = await git(folder, ['merge-base', '--octopus', '--all', ...tips]);
  const common = new Set(shared.ok ? shared.out.split('\n').filter((line) => line !== '') : []);
  const input = [...tips, ...[...common].map((one) => `^${one}`)].map((one) => `${one}\n`).join('');
  const listed = await git(folder, ['rev-list', '--topo-order', '--parents', '--stdin'], { input });
  if (!listed.ok) return whyFailed(listed, "can't read the history");
  const all = tips.reduce((mask, _, index) => mask | bit(index), 0n);
  const lines = listed.out.split('\n').filter((line) => line !== '');
  const nodes = new Map<string, Node>();
  for (const line of lines) nodes.set(line.split(' ', 1)[0] ?? '', newNode(line.split(' ', 1)[0] ?? '', 0n));
  for (const commit of common) nodes.set(commit, newNode(commit, all));
  for (const line of lines) {
    const [commit = '', ...parents] = line.split(' ');
    const node = nodes.get(commit);
    for (const parent of parents) if (node !== undefined) nodes.get(parent)?.children.push(node);
  }
  return [...nodes.values()];
}

/** Reads the history of some commits (full hashes) with two processes, however many pairs they form. */
export async function readHistory(git: Git, folder: string, commits: readonly string[]): Promise<History | Refusal> {
  const tips = [...new Set(commits)];
  const nodes = tips.length === 0 ? [] : await readNodes(git, folder, tips);
  if ('kind' in nodes) return nodes;
  const indexOf = new Map(tips.map((tip, index) => [tip, index]));
  const forks: { readonly node: Node; readonly below: readonly bigint[] }[] = [];
  for (const node of nodes) {
    const own = indexOf.get(node.commit);
    const below = node.children.map((child) => child.mask);
    node.mask = below.reduce((all, mask) => all | mask, node.mask | (own === undefined ? 0n : bit(own)));
    if (!below.includes(node.mask)) forks.push({ node, below });
  }
  const maskOf = (one: string, other: string): bigint => bit(indexOf.get(one) ?? 0) | bit(indexOf.get(other) ?? 0);
  return {
    bases: (one, other) => {
      if (one === other) return [one];
      const both = maskOf(one, other);
      const isBest = ({ node, below }: (typeof forks)[number]): boolean =>
        (node.mask & both) === both && below.every((mask) => (mask & both) !== both);
      return forks.filter(isBest).map(({ node }) => node.commit);
    },
    ahead: (one, other) => {
      if (!indexOf.has(one) || !indexOf.has(other)) return null;
      const [mine, theirs] = [maskOf(one, one), maskOf(other, other)];
      return nodes.filter(({ mask }) => (mask & mine) !== 0n && (mask & theirs) === 0n).length;
    },
  };
}

/** A file that differs between two trees. */
export interface TreeChange {
  readonly path: string;
  readonly status: 'A' | 'D' | 'M' | 'T';
}

/** Matches the line that git prints before the records of a pair of trees. */
const HEADER = /^([0-9a-f]{40,64} [0-9a-f]{40,64})\n/;

/** Returns the files that differ between the two trees of each pair, for all pairs with one process. */
export async function treeChanges(
  git: Git,
  folder: string,
  pairs: readonly (readonly [from: string, to: string])[],
): Promise<readonly (readonly TreeChange[])[] | Refusal> {
  if (pairs.length === 0) return [];
  const input = pairs.map(([from, to]) => `${from} ${to}\n`).join('');
  const listed = await git(folder, ['diff-tree', '--stdin', '-r', '-z', '--no-renames'], { input });
  if (!listed.ok) return whyFailed(listed, "can't compare trees");
  const lists = new Map(pairs.map(([from, to]) => [`${from} ${to}`, [] as TreeChange[]]));
  let current: TreeChange[] | undefined;
  let status: TreeChange['status'] | null = null;
  for (const part of zeroSplit(listed.out)) {
    if (status !== null) {
      current?.push({ path: part, status });
      status = null;
      continue;
    }
    let record = part;
    for (let header = HEADER.exec(record); header !== null; header = HEADER.exec(record)) {
      current = lists.get(header[1] ?? '');
      record = record.slice(header[0].length);
    }
    status = (record.split(' ')[4]?.charAt(0) ?? 'M') as TreeChange['status'];
  }
  return pairs.map(([from, to]) => lists.get(`${from} ${to}`) ?? []);
}
