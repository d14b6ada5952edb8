import type { AnswerData, GraphBlock, Validation } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { FAILURE, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { afterThinking } from '../answer/thinking.ts';
import { fences } from '../answer/code-blocks.ts';
import { dataIn, dataSegment, exportsOf, type ValidateJson } from './answer-data.ts';
import { signalOfAnswer, withPlainSignal } from '../answer/signal-line.ts';

/** The block that writes the files of an answer. */
export interface AnswerWriter {
  readonly block: GraphBlock;
  /** The signals after which the block runs. */
  readonly signals: ReadonlySet<string>;
}

export interface AnswerRules {
  readonly outputType: string;
  readonly validation: Validation | null;
  /** Validates an answer's data against `validation.schema` or `answer.schema`; null if there is no schema. */
  readonly validate: ValidateJson | null;
  /** The data that the answer must contain; absent or null if it needs none. */
  readonly answer?: AnswerData | null;
  /**
   * How edits in an answer are treated: `apply` changes the files, `check` only parses the edits, for runs without
   * files. Null if the answer is plain text.
   */
  readonly edits: 'apply' | 'check' | null;
  /** The block that writes the files of the answer next; absent or null if none does. */
  readonly writer?: AnswerWriter | null;
}

const SIGNAL_LINE = /^[ \t]*SIGNAL:[A-Z0-9_]+[ \t]*\r?$/gm;

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

/**
 * Returns the JSON value in an answer: the whole text, or the last fenced block that parses, or the text from the first
 * to the last bracket. Returns undefined if none of these is valid JSON.
 */
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

/**
 * Returns the result for an answer without valid JSON: the signal VALIDATION_FAIL, and a segment that lists the
 * problems so that a model can correct them.
 */
function misfit(answer: SegmentDraft, problems: readonly string[]): WorkerResult {
  const problemText = problems.join('\n');
  return {
    signal: VALIDATION_FAIL,
    append: [answer, { type: 'VALIDATION_ERROR', content: problemText }],
    answerProblem: problemText,
  };
}

/** Reads the signal of an answer. A validated answer without a signal counts as SUCCESS. */
function readSignal(said: string, answer: SegmentDraft, keyword: string | null, isValid: boolean): WorkerResult {
  if (keyword !== null) return { signal: said.includes(keyword) ? SUCCESS : FAILURE, append: [answer] };
  const token = signalOfAnswer(said);
  if (token !== null) return { signal: token, append: [answer] };
  if (isValid) return { signal: SUCCESS, append: [answer] };
  return { signal: NO_SIGNAL, append: [answer], answerProblem: 'the last line of the answer is not a signal' };
}

/** Reads an answer that must contain data. The result has the data's exports, and a segment with the data. */
function readData(said: string, answer: SegmentDraft, data: AnswerData, rules: AnswerRules): WorkerResult {
  const found = dataIn(said, rules.validate ?? (() => []));
  if (!found.ok) return misfit(answer, found.problems);
  const result = readSignal(said, answer, rules.validation?.keyword ?? null, true);
  const exported = exportsOf(found.value, data);
  return {
    ...result,
    append: [...(result.append ?? []), dataSegment(found.value)],
    ...(Object.keys(exported).length === 0 ? {} : { exports: exported }),
  };
}

function problems(text: string, validate: ValidateJson): readonly string[] {
  const json = jsonIn(text);
  return json === undefined ? ['the answer contains no JSON'] : validate(json);
}

/**
 * Converts a model's text to a worker result: one segment with the text without the model's thinking, and the signal from its last line. If the text
 * does not match its schema, a second segment lists the problems so that a model can correct them.
 */
export function readAnswer(text: string, rules: AnswerRules): WorkerResult {
  const { outputType, validation, validate, answer: data = null } = rules;
  const kept = afterThinking(text) ?? '';
  // Thinking is followed by blank lines that belong to neither part.
  const said = kept === text ? text : kept.replace(/^(?:[ \t]*\r?\n)+/, '');
  // An answer that broke off in its thinking is kept as it is, so that its readers can say so.
  const answer = { type: outputType, content: said === '' ? text : said };
  if (data !== null) return readData(said, answer, data, rules);
  const found = validate === null ? [] : problems(said, validate);
  if (found.length > 0) return misfit(answer, found);
  return readSignal(said, answer, validation?.keyword ?? null, validate !== null);
}
