import type { ClashVerdict } from '#protocol/clash.ts';
import type { Analysed, AnalysedClash } from './analysis.ts';
import type { SidePair } from './choose-pairs.ts';
import type { ProofResult } from './prove/prove-pair.ts';
import type { ReadState, State } from './read-states.ts';
import type { SideLine, Textual } from './textual.ts';

/** The result for a pair of sides so far. */
export interface Compared {
  readonly pair: SidePair;
  /** The verdict of git's merge alone; null if there is nothing to report. */
  readonly verdict: 'conflict' | 'same_file' | 'no_clash_found' | 'not_compared' | null;
  readonly files: readonly string[];
  readonly reason: string | null;
  readonly lines: readonly SideLine[];
  /** The commits of a pair that git merges and that both sides have work in; null for other pairs. */
  readonly commits: { readonly base: string; readonly one: string; readonly other: string } | null;
  readonly changed: readonly [readonly string[], readonly string[]];
  readonly analysed: Analysed | null;
  readonly proof: ProofResult | null;
}

const NOTHING = {
  files: [],
  reason: null,
  lines: [],
  commits: null,
  analysed: null,
  proof: null,
  changed: [[], []],
} as const;

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns why the content of a file is not known although both sides changed it, or null. */
function unknownContent(one: State, other: State, [mine, theirs]: Compared['changed']): string | null {
  const [byOne, byOther] = [new Set([...mine, ...one.filtered]), new Set([...theirs, ...other.filtered])];
  const file = [...one.filtered, ...other.filtered].find((name) => byOne.has(name) && byOther.has(name));
  return file === undefined ? null : `${file} goes through a filter, which is not run`;
}

/** Returns the verdict of git's merge of two sides. `isExplicit`: the user asked about this pair. */
export function judge(
  pair: SidePair,
  states: ReadonlyMap<string, ReadState>,
  textual: Textual | undefined,
  isExplicit: boolean,
): Compared {
  const [one, other] = [states.get(pair.one.id), states.get(pair.other.id)];
  for (const [side, state] of [
    [pair.one, one],
    [pair.other, other],
  ] as const)
    if (state?.kind !== 'state') {
      const why = state === undefined ? 'it could not be read' : state.why;
      return { ...NOTHING, pair, verdict: 'not_compared', reason: `${side.name}: ${lower(why)}` };
    }
  if (one?.kind !== 'state' || other?.kind !== 'state' || textual === undefined || textual.kind === 'unknown')
    return { ...NOTHING, pair, verdict: 'not_compared', reason: textual?.kind === 'unknown' ? textual.why : null };
  if (textual.kind === 'nothing') {
    const verdict = isExplicit ? 'no_clash_found' : null;
    return { ...NOTHING, pair, verdict, reason: 'one already has all work of the other' };
  }
  if (textual.kind === 'conflict') {
    const { files, reason, lines } = textual;
    return { ...NOTHING, pair, verdict: 'conflict', files, reason, lines };
  }
  const { base, shared, changed } = textual;
  const unknown = unknownContent(one.state, other.state, changed);
  if (unknown !== null) return { ...NOTHING, pair, verdict: 'not_compared', reason: unknown };
  const commits = { base, one: one.state.commit, other: other.state.commit };
  const verdict = shared.length > 0 ? 'same_file' : 'no_clash_found';
  return { ...NOTHING, pair, verdict, files: shared, commits, changed };
}

/** The kinds of clashes that a compiler reports as errors. */
const SEEN_BY_COMPILERS: ReadonlySet<string> = new Set([
  ...['renamed', 'removed', 'unexported', 'signature', 'type', 'moved_file'],
]);

/** Returns the clashes of the analysis, without those that a checker has disproved on the merged files. */
export function likelyClashes({ analysed, proof }: Compared): readonly AnalysedClash[] {
  if (analysed?.kind !== 'analysed') return [];
  const isDisproved = ({ kind, use }: AnalysedClash): boolean =>
    proof?.outcome === 'passed' && SEEN_BY_COMPILERS.has(kind) && proof.covers(use.file);
  return analysed.clashes.filter((clash) => !isDisproved(clash));
}

/** Returns what the analysis did not look at, although the side changed it; null if it looked at everything. */
export function notAnalysed({ analysed }: Compared): string | null {
  if (analysed?.kind === 'failed') return `the analysis failed: ${analysed.why}`;
  const [first] = analysed?.leftOut ?? [];
  return first === undefined ? null : `the analysis can't read all files, such as ${first}`;
}

/** Returns the verdict from everything that is known about a pair, worst first. */
export function finalVerdict(compared: Compared): ClashVerdict {
  const { verdict, proof } = compared;
  if (verdict === 'conflict' || verdict === 'not_compared') return verdict;
  if (proof?.outcome === 'failed_together') return 'clash_proved';
  if (likelyClashes(compared).length > 0) return 'clash_likely';
  if (verdict === 'same_file') return 'same_file';
  if (proof?.outcome === 'passed') return 'clear';
  // What was not looked at must not look like a pair without a clash.
  return notAnalysed(compared) === null ? 'no_clash_found' : 'not_compared';
}
