import {
  CLASH_VERDICTS,
  type ClashCheckResult,
  type ClashPair,
  type ClashPlace,
  type ClashReport,
  type ClashSide,
  type ClashVerdict,
  type FoundClashPlaces,
} from '#protocol/clash.ts';
import type { AnalysedClash } from './analysis.ts';
import type { Comparison, SideFacts } from './check.ts';
import { type Compared, finalVerdict, likelyClashes, notAnalysed } from './judge.ts';
import { placeOf } from './prove/findings.ts';
import type { Side } from './sides.ts';

function sideOf(facts: SideFacts, nameOf: ReadonlyMap<string, string>): ClashSide {
  const { side, state, commits, uncommitted, isMerged } = facts;
  const base = side.base === null ? null : (nameOf.get(side.base) ?? null);
  const isShownAsWork = uncommitted > 0 || (commits !== null && commits > 0);
  return {
    name: side.name,
    kind: side.kind,
    is_base: side.isBase,
    path: side.path,
    branch: side.branch,
    head: side.head,
    base,
    commits,
    uncommitted,
    not_compared: state.kind === 'trouble' ? state.why : null,
    locked: side.locked,
    notes: [
      ...(isMerged && isShownAsWork && base !== null ? [`${base} already has all of its work`] : []),
      ...(state.kind === 'state' ? state.state.notes : []),
    ],
  };
}

type Line = Pick<ClashPlace, 'file' | 'line' | 'text'> & { readonly of: 'one' | 'other' };

const placeFrom = ({ of, file, line, text }: Line, one: Side, other: Side, remark: string | null): ClashPlace => ({
  side: of === 'one' ? one.name : other.name,
  file,
  line,
  text,
  remark,
});

/** Returns a short remark for the place of a change, such as the name that a renamed symbol had. */
const remarkOf = ({ kind, name }: AnalysedClash): string | null =>
  kind === 'renamed' ? `was ${name}` : kind === 'removed' || kind === 'unexported' ? `no ${name}` : null;

function clashesOf(compared: Compared): readonly FoundClashPlaces[] {
  const { one, other } = compared.pair;
  return likelyClashes(compared).map((clash) => ({
    kind: clash.kind,
    name: clash.name,
    why: clash.why,
    places: [placeFrom(clash.change, one, other, remarkOf(clash)), placeFrom(clash.use, one, other, null)],
  }));
}

const checkOf = ({ proof }: Compared): ClashCheckResult | null =>
  proof === null ? null : { checker: proof.checker, outcome: proof.outcome, findings: proof.findings.slice(0, 20) };

function filesOf(compared: Compared, verdict: ClashVerdict): readonly string[] {
  const { proof, files } = compared;
  if (verdict === 'clash_proved') {
    const found = (proof?.findings ?? []).flatMap((finding) => placeOf(finding)?.file ?? []);
    return [...new Set(found)];
  }
  return verdict === 'clash_likely' ? [...new Set(likelyClashes(compared).map(({ use }) => use.file))] : files;
}

function pairOf(compared: Compared): ClashPair {
  const { one, other } = compared.pair;
  const verdict = finalVerdict(compared);
  const reason =
    compared.reason ?? (verdict === 'not_compared' || verdict === 'same_file' ? notAnalysed(compared) : null);
  return {
    sides: [one.name, other.name],
    verdict,
    files: filesOf(compared, verdict),
    reason,
    places: compared.lines.map((line) => placeFrom(line, one, other, null)),
    clashes: clashesOf(compared),
    check: checkOf(compared),
  };
}

const rank = ({ verdict }: ClashPair): number => CLASH_VERDICTS.indexOf(verdict);

/** Returns the document about a comparison, the worst pairs first. */
export function reportOf({ sides, pairs }: Comparison, notes: readonly string[]): ClashReport {
  const nameOf = new Map(sides.map(({ side }) => [side.id, side.name]));
  const all = pairs.map(pairOf).sort((a, b) => rank(a) - rank(b));
  const counts = Object.fromEntries(
    CLASH_VERDICTS.map((verdict) => [verdict, all.filter((pair) => pair.verdict === verdict).length]),
  ) as Record<ClashVerdict, number>;
  return { ok: true, version: 1, sides: sides.map((side) => sideOf(side, nameOf)), pairs: all, counts, notes };
}
