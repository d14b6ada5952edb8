import type { ConflictHunk } from '#io/git/plumbing/conflict-hunks.ts';
import { type MergeVerdict, newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import type { MergeMessage } from '#io/git/plumbing/merge-tree-output.ts';
import { readBlobs } from '#io/git/plumbing/read-blobs.ts';
import { type Refusal, refused } from '#io/git/plumbing/refusal.ts';
import { type History, type TreeChange, treeChanges } from '#io/git/readonly/merge-bases.ts';
import { hashesOf } from '#io/git/readonly/hashes-of.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { mergeInScratchIndex } from '#io/git/readonly/scratch-merge.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import { AT_ONCE, type State } from './read-states.ts';

/** Two states whose work is compared. */
export interface StatePair {
  readonly one: State;
  readonly other: State;
}

/** A line of one of the two sides. */
export interface SideLine {
  readonly of: 'one' | 'other';
  readonly file: string;
  readonly line: number | null;
  readonly text: string;
}

/** The result of git's merge of a pair. */
export type Textual =
  /** One side already has all work of the other, in these or other commits. `of`: the side that has nothing of its own. */
  | { readonly kind: 'nothing'; readonly of: 'one' | 'other' }
  | { readonly kind: 'unknown'; readonly why: string }
  | {
      readonly kind: 'conflict';
      readonly files: readonly string[];
      readonly reason: string | null;
      readonly lines: readonly SideLine[];
    }
  | {
      readonly kind: 'clean';
      readonly base: string;
      /** The files that both sides changed. */
      readonly shared: readonly string[];
      readonly changed: readonly [readonly string[], readonly string[]];
    };

const isRenamePossible = (changes: readonly TreeChange[]): boolean =>
  changes.some(({ status }) => status === 'D') && changes.some(({ status }) => status === 'A');

/** Returns the folders that contain a file. */
function* foldersOf(file: string): Generator<string> {
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) yield file.slice(0, at);
}

/**
 * Returns whether the merge is trivially clean, so that git need not be asked: the sides changed different files, none
 * of which is a folder of the other side's, and no file can have been renamed.
 */
function areApart(one: readonly TreeChange[], other: readonly TreeChange[]): boolean {
  if (isRenamePossible(one) || isRenamePossible(other)) return false;
  const [mine, theirs] = [new Set(one.map(({ path }) => path)), new Set(other.map(({ path }) => path))];
  const meets = (files: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
    [...files].some((file) => others.has(file) || [...foldersOf(file)].some((folder) => others.has(folder)));
  return !meets(mine, theirs) && !meets(theirs, mine);
}

/** What git reports about conflicts that are not about lines, for people. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/modify\/delete/, 'one changes the file, the other deletes it'],
  [/binary/, 'both change a binary file'],
  [/submodule/, 'both move the submodule to another commit'],
  [/rename\/rename/, 'both rename the file'],
  [/rename\/delete/, 'one renames the file, the other deletes it'],
  [/rename\/add/, 'one renames a file to a name that the other adds'],
  [/file\/directory|directory\/file/, 'a file of one is a folder of the other'],
  [/distinct modes|distinct types/, 'the file has different types'],
  [/add\/add/, 'both add the file'],
];

const reasonOf = (messages: readonly MergeMessage[]): string | null =>
  messages.flatMap(({ type }) => REASONS.find(([pattern]) => pattern.test(type))?.[1] ?? [])[0] ?? null;

interface HunkParts {
  readonly one: readonly string[];
  readonly other: readonly string[];
}

/** Splits a hunk with conflict markers into the lines of both sides. */
function partsOf({ text }: ConflictHunk): HunkParts {
  const lines = text.split('\n');
  const middle = lines.findIndex((line, index) => index > 0 && /^={7,}\r?$/.test(line));
  return middle < 0 ? { one: [], other: [] } : { one: lines.slice(1, middle), other: lines.slice(middle + 1, -1) };
}

/** Returns the number of the line, from 1, at which these lines begin in a text, the place nearest to `near`. */
function lineIn(text: string, lines: readonly string[], near: number): number {
  const all = text.split('\n');
  let best = near;
  let distance = Infinity;
  if (lines.length === 0) return Math.min(near, all.length);
  for (let at = 0; at + lines.length <= all.length; at += 1) {
    if (Math.abs(at + 1 - near) >= distance || lines.some((line, index) => all[at + index] !== line)) continue;
    [best, distance] = [at + 1, Math.abs(at + 1 - near)];
  }
  return best;
}

/** Returns the first pair of lines of a hunk that differ; a text is empty if the side has no line there. */
function firstDifference({ one, other }: HunkParts): readonly [number, string, string] {
  const most = Math.max(one.length, other.length);
  for (let at = 0; at < most; at += 1)
    if (one[at] !== other[at]) return [at, (one[at] ?? '').trim(), (other[at] ?? '').trim()];
  return [0, (one[0] ?? '').trim(), (other[0] ?? '').trim()];
}

type Conflict = Extract<MergeVerdict, { readonly kind: 'conflict' }>;

/** Returns the decisive lines of conflicts, reading the files of all of them with two processes. */
async function conflictLines(repository: ReadOnlyRepository, all: readonly (readonly [StatePair, Conflict])[]) {
  const first = all.map(([pair, { hunks }]) => [pair, hunks[0]] as const);
  const names = first.flatMap(([{ one, other }, hunk]) =>
    hunk === undefined ? [] : [`${one.tree}:${hunk.file}`, `${other.tree}:${hunk.file}`],
  );
  const texts = await readBlobs(repository.git, repository.folder, [...new Set(names)]);
  return first.map(([{ one, other }, hunk]): readonly SideLine[] => {
    if (hunk === undefined) return [];
    const parts = partsOf(hunk);
    const [offset, a, b] = firstDifference(parts);
    const at = (tree: string, lines: readonly string[]): number =>
      lineIn(texts.get(`${tree}:${hunk.file}`) ?? '', lines, hunk.line) +
      Math.min(offset, Math.max(0, lines.length - 1));
    return [
      { of: 'one', file: hunk.file, line: at(one.tree, parts.one), text: a },
      { of: 'other', file: hunk.file, line: at(other.tree, parts.other), text: b },
    ];
  });
}

/** Returns the files that are merged by a driver of the settings, which is not run. */
async function drivenFiles({ git, folder, drivers }: ReadOnlyRepository, files: readonly string[]) {
  const found = new Map<string, string>();
  if (drivers.length === 0 || files.length === 0) return found;
  const input = [...new Set(files)].map((name) => `${name}\0`).join('');
  const parts = (await git(folder, ['check-attr', '-z', '--stdin', 'merge'], { input })).out.split('\0');
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [name = '', , value = ''] = parts.slice(at, at + 3);
    if (drivers.includes(value)) found.set(name, value);
  }
  return found;
}

/** The number of pairs below which a second process takes longer than it saves. */
const FEW = 100;

/** Merges pairs, in two processes at the same time. */
async function merge(
  repository: ReadOnlyRepository,
  pairs: readonly StatePair[],
  basesOf: (pair: StatePair) => readonly string[],
): Promise<readonly MergeVerdict[]> {
  const commits = pairs.map(({ one, other }) => ({ ours: one.commit, theirs: other.commit }));
  if (repository.merges === 'scratch')
    return limitConcurrency(pairs, AT_ONCE, async (pair): Promise<MergeVerdict> => {
      const [base, ...more] = basesOf(pair);
      if (base === undefined || more.length > 0)
        return refused('git_too_old', 'their history is criss-cross, which needs git 2.38 or newer');
      return mergeInScratchIndex(repository, { ours: pair.one.commit, theirs: pair.other.commit }, base);
    });
  const half = commits.length < FEW ? commits.length : Math.ceil(commits.length / 2);
  const parts = [commits.slice(0, half), commits.slice(half)];
  const cache = newProbeCache();
  const merged = await Promise.all(
    parts.map(async (part) => {
      if (part.length === 0) return [];
      const found = await probeMerges(repository.git, repository.folder, part, cache);
      return 'kind' in found ? part.map(() => found) : found;
    }),
  );
  return merged.flat();
}

const whyUnrelated = ({ isShallow }: ReadOnlyRepository): string =>
  isShallow ? 'no common commit in this shallow clone; `git fetch --unshallow` gets the history' : 'no common history';

function whyNotMerged({ isPartial }: ReadOnlyRepository, message: string): string {
  const isMissing = /unable to read|could not (?:read|fetch)|missing|not allowed|promisor/i.test(message);
  if (isPartial && isMissing) return 'this partial clone lacks some of their files, and nothing is fetched';
  return message.split('\n').join(' ');
}

const NO_ANSWER = 'git gave no answer';

/** What is known about pairs before git merges them. */
interface Prepared {
  readonly basesOf: (pair: StatePair) => readonly string[];
  /** Returns what each side of a pair changed since the merge base; null if the files of the merge base are missing. */
  readonly changesOf: (pair: StatePair) => readonly [readonly TreeChange[], readonly TreeChange[]] | null;
}

/** Finds the merge bases of pairs and what each side changed since then, with a fixed number of processes. */
async function prepare(
  repository: ReadOnlyRepository,
  history: History,
  pairs: readonly StatePair[],
): Promise<Prepared | Refusal> {
  const bases = new Map(pairs.map((pair) => [pair, history.bases(pair.one.head, pair.other.head)]));
  const basesOf = (pair: StatePair): readonly string[] => bases.get(pair) ?? [];
  const first = pairs.flatMap((pair) => basesOf(pair).slice(0, 1));
  const trees = await hashesOf(
    repository,
    first.map((base) => `${base}^{tree}`),
  );
  const baseTreeOf = (pair: StatePair): string | null => trees.get(`${basesOf(pair)[0] ?? ''}^{tree}`) ?? null;
  const ranges = pairs.flatMap((pair) => {
    const base = baseTreeOf(pair);
    return base === null ? [] : [[base, pair.one.tree] as const, [base, pair.other.tree] as const];
  });
  const distinct = new Map(ranges.map((range) => [range.join(' '), range]));
  const listed = await treeChanges(repository.git, repository.folder, [...distinct.values()]);
  if ('kind' in listed) return listed;
  const changes = new Map([...distinct.keys()].map((key, index) => [key, listed[index] ?? []]));
  const since = (base: string, { tree }: State): readonly TreeChange[] => changes.get(`${base} ${tree}`) ?? [];
  return {
    basesOf,
    changesOf: (pair) => {
      const base = baseTreeOf(pair);
      return base === null ? null : [since(base, pair.one), since(base, pair.other)];
    },
  };
}

/** Returns the result about a pair that git merges to this tree. */
function mergedTo(tree: string, pair: StatePair, prepared: Prepared): Textual {
  const { one, other } = pair;
  if (tree === other.tree && one.filtered.size === 0) return { kind: 'nothing', of: 'one' };
  if (tree === one.tree && other.filtered.size === 0) return { kind: 'nothing', of: 'other' };
  return cleanMerge(pair, prepared);
}

function cleanMerge(pair: StatePair, { basesOf, changesOf }: Prepared): Textual {
  const [mine = [], theirs = []] = (changesOf(pair) ?? []).map((all) => all.map(({ path }) => path));
  const others = new Set(theirs);
  const shared = mine.filter((file) => others.has(file));
  return { kind: 'clean', base: basesOf(pair)[0] ?? '', shared, changed: [mine, theirs] };
}

/** Returns the verdict about a pair for which git need not be asked; null if it must be. */
function withoutMerge(pair: StatePair, prepared: Prepared, repository: ReadOnlyRepository): Textual | null {
  const [base, ...more] = prepared.basesOf(pair);
  if (base === undefined) return { kind: 'unknown', why: whyUnrelated(repository) };
  const changes = prepared.changesOf(pair);
  if (more.length > 0 || changes === null) return null;
  const [mine, theirs] = changes;
  const none = (['one', 'other'] as const).find(
    (side) => (side === 'one' ? mine : theirs).length === 0 && pair[side].filtered.size === 0,
  );
  if (none !== undefined) return { kind: 'nothing', of: none };
  return areApart(mine, theirs) ? cleanMerge(pair, prepared) : null;
}

/** Returns the results about pairs in conflict. */
async function conflictResults(
  repository: ReadOnlyRepository,
  conflicts: readonly (readonly [StatePair, Conflict])[],
): Promise<ReadonlyMap<StatePair, Textual>> {
  const lines = await conflictLines(repository, conflicts);
  const driven = await drivenFiles(
    repository,
    conflicts.flatMap(([, { files }]) => files),
  );
  return new Map(
    conflicts.map(([pair, { files, messages }], index): readonly [StatePair, Textual] => {
      const [file = ''] = files;
      if (files.length > 0 && files.every((name) => driven.has(name)))
        return [
          pair,
          { kind: 'unknown', why: `${file} is merged by the driver ${driven.get(file) ?? ''}, which is not run` },
        ];
      return [pair, { kind: 'conflict', files, reason: reasonOf(messages), lines: lines[index] ?? [] }];
    }),
  );
}

/** Merges all pairs in memory. The result is in the order of the pairs. */
export async function compareTexts(
  repository: ReadOnlyRepository,
  history: History,
  pairs: readonly StatePair[],
): Promise<readonly Textual[]> {
  const prepared = await prepare(repository, history, pairs);
  if ('kind' in prepared) return pairs.map(() => ({ kind: 'unknown', why: prepared.message }));
  const results = new Map<StatePair, Textual>();
  for (const pair of pairs) {
    const known = withoutMerge(pair, prepared, repository);
    if (known !== null) results.set(pair, known);
  }
  const asked = pairs.filter((pair) => !results.has(pair));
  const verdicts = await merge(repository, asked, prepared.basesOf);
  const conflicts: (readonly [StatePair, Conflict])[] = [];
  for (const [index, pair] of asked.entries()) {
    const verdict = verdicts[index];
    if (verdict?.kind === 'conflict') conflicts.push([pair, verdict]);
    else if (verdict?.kind === 'clean') results.set(pair, mergedTo(verdict.tree, pair, prepared));
    else results.set(pair, { kind: 'unknown', why: whyNotMerged(repository, verdict?.message ?? NO_ANSWER) });
  }
  const inConflict = await conflictResults(repository, conflicts);
  return pairs.map((pair) => results.get(pair) ?? inConflict.get(pair) ?? { kind: 'unknown', why: NO_ANSWER });
}
