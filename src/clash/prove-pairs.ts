import { cacheFolder, cacheName } from '#io/user/cache-file.ts';
import type { ClashCheck, Comparison } from './check.ts';
import { type Compared, finalVerdict } from './judge.ts';
import { type Check, createCheckFinder } from './prove/find-checks.ts';
import { prove, type ProofParts, type ProofResult } from './prove/prove-pair.ts';
import { openProofStore } from './prove/proof-store.ts';

interface ProofProgress {
  readonly checker: string;
  readonly done: number;
  readonly all: number;
  readonly seconds: number;
}

interface ProofRequest {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time limit of all checks together, in milliseconds. */
  readonly limitMs: number;
  /** A command of the user's manifest that is run instead of what the project's files suggest; null for none. */
  readonly ownCheck: readonly string[] | null;
  /** Whether checkers may run that execute code of the sides, such as build scripts. */
  readonly mayRunCode: boolean;
  readonly onProgress: (progress: ProofProgress) => void;
}

/** How soon a pair is checked: a suspicion first, then files in common, then all others. */
const ORDER = ['clash_likely', 'same_file'];

const urgency = (compared: Compared): number =>
  (ORDER.indexOf(finalVerdict(compared)) + ORDER.length + 1) % (ORDER.length + 1);

/** The results about one pair, worst first. */
const worst = (results: readonly ProofResult[]): ProofResult | null => {
  for (const outcome of ['failed_together', 'not_run', 'proves_nothing', 'passed'] as const) {
    const found = results.find((one) => one.outcome === outcome);
    if (found !== undefined) return found;
  }
  return null;
};

async function provePair(pair: Compared, checks: readonly Check[], parts: ProofParts): Promise<ProofResult | null> {
  const { commits } = pair;
  if (commits === null) return null;
  const names = [pair.pair.one.name, pair.pair.other.name] as const;
  const results: ProofResult[] = [];
  for (const check of checks) results.push(await prove(check, { ...commits, names }, parts));
  return worst(results);
}

/**
 * Runs the project's checkers on the merged files of each pair that touches the same package. One checker runs at a
 * time; after the time limit, the other pairs keep their verdicts.
 */
export async function provePairs(
  { repository }: ClashCheck,
  comparison: Comparison,
  { environment, limitMs, ownCheck, mayRunCode, onProgress }: ProofRequest,
): Promise<{ readonly comparison: Comparison; readonly notes: readonly string[] }> {
  const main = repository.folder;
  const store = await openProofStore(cacheFolder(environment), cacheName(repository.common));
  const signal = AbortSignal.timeout(limitMs);
  const checksOf = createCheckFinder(main, ownCheck, mayRunCode);
  const planned: (readonly [Compared, readonly Check[]])[] = [];
  for (const pair of comparison.pairs) {
    const checks = pair.commits === null ? [] : await checksOf(pair.changed);
    if (checks.length > 0) planned.push([pair, checks]);
  }
  const started = performance.now();
  const proofs = new Map<Compared, ProofResult | null>();
  for (const [pair, checks] of [...planned].sort(([a], [b]) => urgency(a) - urgency(b))) {
    const seconds = Math.round((performance.now() - started) / 1000);
    onProgress({ checker: checks[0]?.name ?? '', done: proofs.size, all: planned.length, seconds });
    proofs.set(pair, await provePair(pair, checks, { repository, main, store, signal }));
  }
  await store.save();
  const pairs = comparison.pairs.map((pair) => ({ ...pair, proof: proofs.get(pair) ?? null }));
  const late = [...proofs.values()].filter((proof) => proof?.outcome === 'not_run');
  const reasons = [...new Set(late.flatMap((proof) => proof?.findings ?? []))];
  const unproved = reasons.map((why) => `Not checked: ${why}.`);
  const notes = planned.length === 0 ? ['No checker was found for the files that two sides changed.'] : unproved;
  return { comparison: { ...comparison, pairs }, notes };
}
