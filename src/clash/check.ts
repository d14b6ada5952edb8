import { openRepository, prefixOf, type ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { type History, readHistory, treeChanges } from '#io/git/readonly/merge-bases.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { createAnalysis, type Analysis } from './analysis.ts';
import { choosePairs, type SidePair } from './choose-pairs.ts';
import { type Compared, judge } from './judge.ts';
import { readStates, type ReadState, type State } from './read-states.ts';
import { listSides, type Side, type SidesRequest } from './sides.ts';
import { compareTexts, type StatePair, type Textual } from './textual.ts';

export interface CheckRequest extends SidesRequest {
  /** The names of the only sides to compare: two with each other, one with all others; empty for all. */
  readonly only: readonly string[];
}

/** A side together with its content. */
export interface SideFacts {
  readonly side: Side;
  readonly state: ReadState;
  readonly commits: number | null;
  readonly uncommitted: number;
  /** True if its base has all of its work already, in these or other commits. */
  readonly isMerged: boolean;
}

export interface Comparison {
  readonly sides: readonly SideFacts[];
  readonly pairs: readonly Compared[];
}

/** A check of one repository that can be repeated; only what has changed since is compared again. */
export interface ClashCheck {
  readonly repository: ReadOnlyRepository;
  /** Returns the path from the top of its worktree to the folder in which the check was opened. */
  prefix(): Promise<string>;
  /**
   * Compares everything. `changed`: the ids of the sides whose content must be read again; null for all. The result has
   * git's verdicts only; `analyse` adds those about symbols.
   */
  compare(changed: ReadonlySet<string> | null): Promise<Comparison | Refusal>;
  analyse(comparison: Comparison, onPair?: (done: number, all: number) => void): Promise<Comparison>;
  close(): Promise<void>;
}

const UNKNOWN: Textual = { kind: 'unknown', why: 'git gave no answer' };

const stateIn = (states: ReadonlyMap<string, ReadState>, { id }: Side): State | null => {
  const found = states.get(id);
  return found?.kind === 'state' ? found.state : null;
};

/** Returns the number of files in which each side differs from its last commit. */
async function uncommittedOf({ git, folder }: ReadOnlyRepository, states: readonly (State | null)[]) {
  const dirty = states.filter((one): one is State => one !== null && one.tree !== one.headTree);
  const found = await treeChanges(
    git,
    folder,
    dirty.map(({ headTree, tree }) => [headTree, tree] as const),
  );
  const counts = new Map('kind' in found ? [] : dirty.map((one, index) => [one, found[index]?.length ?? 0]));
  return states.map((one) => (one === null ? 0 : (counts.get(one) ?? 0) + one.filtered.size));
}

async function factsOf(
  repository: ReadOnlyRepository,
  sides: readonly Side[],
  states: ReadonlyMap<string, ReadState>,
  history: History,
  merged: ReadonlySet<string>,
): Promise<readonly SideFacts[]> {
  const headOf = new Map(sides.map(({ id, head }) => [id, head]));
  const uncommitted = await uncommittedOf(
    repository,
    sides.map((side) => stateIn(states, side)),
  );
  return sides.map((side, index) => {
    const base = side.base === null ? null : (headOf.get(side.base) ?? null);
    const commits = base === null || side.head === null ? null : history.ahead(side.head, base);
    const state = states.get(side.id) ?? { kind: 'trouble' as const, why: 'it could not be read' };
    return { side, state, commits, uncommitted: uncommitted[index] ?? 0, isMerged: merged.has(side.id) };
  });
}

/** Returns whether this comparison of a side with its base shows that the base has all work of the side. */
const isMerged = (found: Textual | undefined): boolean => found?.kind === 'nothing' && found.of === 'one';

/** Adds the analysis of symbols to each pair that git merges and that both sides have work in. */
async function analyseAll(
  comparison: Comparison,
  analysis: Analysis,
  onPair: (done: number, all: number) => void = () => undefined,
): Promise<Comparison> {
  const open = comparison.pairs.filter((pair) => pair.commits !== null);
  const pairs: Compared[] = [];
  let done = 0;
  for (const pair of comparison.pairs) {
    const { commits } = pair;
    if (commits === null) {
      pairs.push(pair);
      continue;
    }
    pairs.push({ ...pair, analysed: await analysis.analyse(commits.base, commits.one, commits.other) });
    done += 1;
    onPair(done, open.length);
  }
  return { ...comparison, pairs };
}

/** Opens the check. `close` removes everything that it has written. */
export async function openClashCheck(
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
  request: (repository: ReadOnlyRepository) => Promise<CheckRequest>,
): Promise<ClashCheck | Refusal> {
  const repository = await openRepository(cwd, environment);
  if ('kind' in repository) return repository;
  const wanted = await request(repository).catch(async (error: unknown): Promise<never> => {
    await repository.close();
    throw error;
  });
  const states = new Map<string, ReadState>();
  const heads = new Map<string, string | null>();
  const texts = new Map<string, Textual>();
  let analysis: Analysis | null = null;

  const readChanged = async (sides: readonly Side[], changed: ReadonlySet<string> | null): Promise<void> => {
    const isOld = ({ id, head, trouble }: Side): boolean =>
      changed === null || changed.has(id) || heads.get(id) !== head || trouble !== null || !states.has(id);
    const paths = new Set(sides.flatMap(({ path }) => path ?? []));
    const read = await readStates(sides.filter(isOld), repository, paths);
    for (const [id, state] of read) states.set(id, state);
    for (const { id, head } of sides) heads.set(id, head);
  };

  /** Merges the pairs whose content was not merged before. */
  const textsOf = async (pairs: readonly StatePair[], history: History): Promise<readonly Textual[]> => {
    const keyOf = ({ one, other }: StatePair): string =>
      JSON.stringify([one, other].map(({ commit, filtered }) => [commit, ...filtered]));
    const fresh = pairs.filter((pair) => !texts.has(keyOf(pair)));
    const found = await compareTexts(repository, history, fresh);
    const now = new Map(fresh.map((pair, index) => [pair, found[index] ?? UNKNOWN]));
    // What could not be compared is tried again, since its cause may be gone by then.
    for (const [pair, one] of now) if (one.kind !== 'unknown') texts.set(keyOf(pair), one);
    return pairs.map((pair) => now.get(pair) ?? texts.get(keyOf(pair)) ?? UNKNOWN);
  };

  const compare = async (changed: ReadonlySet<string> | null): Promise<Comparison | Refusal> => {
    const sides = await listSides(repository, wanted);
    if ('kind' in sides) return sides;
    const chosen = await choosePairs(sides, wanted.only, repository);
    if ('kind' in chosen) return chosen;
    await readChanged(chosen.sides, changed);
    const history = await readHistory(
      repository.git,
      repository.folder,
      chosen.sides.flatMap((side) => stateIn(states, side)?.head ?? []),
    );
    if ('kind' in history) return history;
    const textual = new Map<SidePair, Textual>();
    const mergeAll = async (pairs: readonly SidePair[]): Promise<void> => {
      const readable = pairs.flatMap((pair): readonly (readonly [SidePair, StatePair])[] => {
        const [one, other] = [stateIn(states, pair.one), stateIn(states, pair.other)];
        return one === null || other === null ? [] : [[pair, { one, other }]];
      });
      const found = await textsOf(
        readable.map(([, pair]) => pair),
        history,
      );
      for (const [index, [pair]] of readable.entries()) textual.set(pair, found[index] ?? UNKNOWN);
    };
    const withBase = chosen.pairs.filter(({ one, other }) => one.base === other.id);
    await mergeAll(withBase);
    const merged = new Set(withBase.filter((pair) => isMerged(textual.get(pair))).map(({ one }) => one.id));
    const pairs = chosen.pairs.filter(
      ({ one, other }) => chosen.isExplicit || !(merged.has(one.id) || merged.has(other.id)),
    );
    await mergeAll(pairs.filter((pair) => !textual.has(pair)));
    const compared = pairs.map((pair): Compared => judge(pair, states, textual.get(pair), chosen.isExplicit));
    return {
      sides: await factsOf(repository, chosen.sides, states, history, merged),
      pairs: compared.filter(({ verdict }) => verdict !== null),
    };
  };

  const analyse: ClashCheck['analyse'] = (comparison, onPair) =>
    analyseAll(comparison, (analysis ??= createAnalysis(repository)), onPair);

  return {
    repository,
    prefix: async () => {
      const worktrees = await repository.worktrees();
      return 'kind' in worktrees ? '' : prefixOf(cwd, worktrees);
    },
    compare,
    analyse,
    close: () => {
      analysis?.close();
      return repository.close();
    },
  };
}
