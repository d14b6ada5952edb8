import type { CallRecord } from '#protocol/call-record.ts';
import { compareTexts, countWords, type SideBySide, type WordCount } from './compare-texts.ts';

/** A request setting or a result value that differs between two calls. */
interface ChangedFact {
  readonly name: string;
  readonly left: string | null;
  readonly right: string | null;
}

interface ChangedSegment {
  readonly name: string;
  readonly rows: readonly SideBySide[];
}

/** Two calls side by side. */
export interface CallComparison {
  readonly left: string;
  readonly right: string;
  readonly facts: readonly ChangedFact[];
  /** The segments of the prompt that differ. */
  readonly segments: readonly ChangedSegment[];
  readonly answer: readonly SideBySide[];
  /** Word counts of the answers. */
  readonly words: WordCount;
}

/** The result of reading an answer by the rules of its block. */
export interface AnswerVerdict {
  readonly signal: string | null;
  /** Null if there are no rules for the answer. */
  readonly valid: boolean | null;
  /** The problem that was found, listed by JSON path. */
  readonly problem: string | null;
}

function factsOf(
  { request, outcome, answer, attempts, tokens_used: used, cost, ms }: CallRecord,
  verdict: AnswerVerdict,
): Readonly<Record<string, string | null>> {
  const { provider, model, base_url, schema, max_output_tokens, temperature, stream } = request;
  const values = {
    provider,
    model,
    base_url,
    schema,
    max_output_tokens,
    temperature,
    stream,
    outcome,
    finish: answer?.finish ?? null,
    ...verdict,
    input: used?.input ?? null,
    output: used?.output ?? null,
    cached: used?.cached ?? null,
    reasoning: used?.reasoning ?? null,
    cost_micro_usd: cost.micro_usd,
    key: attempts.at(-1)?.key ?? null,
    attempts: attempts.length,
    first_token_ms: ms.first_token,
    total_ms: ms.total,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null ? null : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** Returns the texts of the segments by name; equal names get a number. */
function textsOf({ request }: CallRecord): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { layer, name, text } of request.segments) {
    let key = `${layer} ${name}`;
    for (let number = 2; texts.has(key); number += 1) key = `${layer} ${name} (${number})`;
    texts.set(key, text);
  }
  return texts;
}

const UNREAD: AnswerVerdict = { signal: null, valid: null, problem: null };

export function compareCalls(
  left: CallRecord,
  right: CallRecord,
  verdicts: { readonly left: AnswerVerdict; readonly right: AnswerVerdict } = { left: UNREAD, right: UNREAD },
): CallComparison {
  const [ours, theirs] = [factsOf(left, verdicts.left), factsOf(right, verdicts.right)];
  const answer = compareTexts(left.answer?.text ?? '', right.answer?.text ?? '');
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
    answer,
    words: countWords(answer),
  };
}
