import type { CallRecord } from '#protocol/call-record.ts';
import { compareTexts, type SideBySide } from './compare-texts.ts';

/** A setting of the request, a number of the result. */
export interface ChangedFact {
  readonly name: string;
  readonly left: string | null;
  readonly right: string | null;
}

export interface ChangedSegment {
  readonly name: string;
  readonly rows: readonly SideBySide[];
}

/** Two calls beside each other (seed 004 §5.5). */
export interface CallComparison {
  readonly left: string;
  readonly right: string;
  readonly facts: readonly ChangedFact[];
  /** Of the prompt; only those that differ. */
  readonly segments: readonly ChangedSegment[];
  readonly answer: readonly SideBySide[];
}

function factsOf({
  request,
  outcome,
  answer,
  tokens_used: used,
  cost,
}: CallRecord): Readonly<Record<string, string | null>> {
  const { provider, model, base_url, schema, max_output_tokens, temperature, stream } = request;
  const values = {
    ...{ provider, model, base_url, schema, max_output_tokens, temperature, stream },
    ...{ outcome, finish: answer?.finish ?? null },
    ...{ input: used?.input ?? null, output: used?.output ?? null, cost_micro_usd: cost.micro_usd },
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null ? null : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** Segments of one name are told apart by their number. */
function textsOf({ request }: CallRecord): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { layer, name, text } of request.segments) {
    let key = `${layer} ${name}`;
    for (let number = 2; texts.has(key); number += 1) key = `${layer} ${name} (${number})`;
    texts.set(key, text);
  }
  return texts;
}

export function compareCalls(left: CallRecord, right: CallRecord): CallComparison {
  const [ours, theirs] = [factsOf(left), factsOf(right)];
  const [one, other] = [textsOf(left), textsOf(right)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return {
    left: left.call,
    right: right.call,
    facts: Object.keys(ours)
      .filter((name) => ours[name] !== theirs[name])
      .map((name) => ({ name, left: ours[name] ?? null, right: theirs[name] ?? null })),
    segments: names
      .filter((name) => one.get(name) !== other.get(name))
      .map((name) => ({ name, rows: compareTexts(one.get(name) ?? '', other.get(name) ?? '') })),
    answer: compareTexts(left.answer?.text ?? '', right.answer?.text ?? ''),
  };
}
