import type { Validation } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { FAILURE, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { afterThinking } from '../answer/answer-lines.ts';
import { fences } from '../answer/code-blocks.ts';
import { signalOfAnswer, withPlainSignal } from '../answer/signal-line.ts';

/** Says what is wrong with a value, path by path; empty when it fits the schema. */
export type ValidateJson = (value: JsonValue) => readonly string[];

export interface AnswerRules {
  readonly outputType: string;
  readonly validation: Validation | null;
  /** For `validation.schema`; null without one. */
  readonly validate: ValidateJson | null;
  /** The answer is a list of edits: `apply` makes them, `check` only reads them, where there are no files. Null: a text. */
  readonly edits: 'apply' | 'check' | null;
}

const SIGNAL_LINE = /^[ \t]*SIGNAL:[A-Z0-9_]+[ \t]*\r?$/gm;

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

/** The JSON in an answer: the whole text, else the last fenced block that parses, else from the first bracket to the last. */
function jsonIn(text: string): JsonValue | undefined {
  const bare = withPlainSignal(text.split('\n')).join('\n').replaceAll(SIGNAL_LINE, '').trim();
  const whole = parse(bare);
  if (whole !== undefined) return whole;
  const fenced = fences(text)
    .map(({ lines }) => parse(lines.join('\n')))
    .filter((value) => value !== undefined);
  if (fenced.length > 0) return fenced.at(-1);
  const from = bare.search(/[[{]/);
  const until = Math.max(bare.lastIndexOf('}'), bare.lastIndexOf(']'));
  return from < 0 || until < from ? undefined : parse(bare.slice(from, until + 1));
}

function problems(text: string, validate: ValidateJson): readonly string[] {
  const json = jsonIn(text);
  return json === undefined ? ['the answer holds no JSON'] : validate(json);
}

/**
 * Reads a model's text as a worker's result: one segment, and the signal that it gives.
 * An answer that does not fit its schema has a second segment, which says what a loop has to repair.
 */
export function readAnswer(text: string, { outputType, validation, validate }: AnswerRules): WorkerResult {
  const answer = { type: outputType, content: text };
  const said = afterThinking(text) ?? '';
  const keyword = validation?.keyword ?? null;
  const found = validate === null ? [] : problems(said, validate);
  if (found.length > 0) {
    const told = found.join('\n');
    return {
      signal: VALIDATION_FAIL,
      append: [answer, { type: 'VALIDATION_ERROR', content: told }],
      answerProblem: told,
    };
  }
  if (keyword !== null) return { signal: said.includes(keyword) ? SUCCESS : FAILURE, append: [answer] };
  const token = signalOfAnswer(said);
  if (token !== null) return { signal: token, append: [answer] };
  if (validate !== null) return { signal: SUCCESS, append: [answer] };
  return { signal: NO_SIGNAL, append: [answer], answerProblem: 'the last line of the answer is no signal' };
}
