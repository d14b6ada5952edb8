import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Draft } from './frame.ts';
import { objectOr } from './json-reading.ts';

export interface ReadAnswer {
  readonly signal: string;
  /** True if the engine derived the signal from the answer instead of a worker stating it. */
  readonly byEngine: boolean;
  readonly append: readonly Draft[];
  readonly exports: ReadonlyMap<string, JsonValue>;
}

export interface AnswerRules {
  readonly keyword: string | null;
  readonly schema: JsonObject | boolean | null;
  readonly data: JsonObject | boolean | null;
  readonly outputType: string;
}

/**
 * Matches a line that contains only a signal and is not indented as code. A bullet, emphasis, code marks, quotes and
 * full stops may surround the signal.
 */
const LAST_LINE = /^ {0,3}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?([*_`"'“‘„«]*)(SIGNAL:[A-Z0-9_]+?)([*_`"'”’“».]*)\s*$/u;

const CLOSED_BY: Readonly<Record<string, string>> = { '“': '”', '‘': '’', '„': '“', '«': '»' };

const lastToken = (text: string): string | null => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = LAST_LINE.exec(lines.at(-1) ?? '');
  if (found === null) return null;
  const [, opening = '', token = '', closing = ''] = found;
  const expected = [...opening].reverse().map((mark) => CLOSED_BY[mark] ?? mark);
  const marks = closing.replaceAll('.', '');
  const ownEnd = marks.length - expected.length;
  if (ownEnd < 0 || marks.slice(ownEnd) !== expected.join('') || !/^_*$/.test(marks.slice(0, ownEnd))) return null;
  return /\.\./.test(closing) ? null : token + marks.slice(0, ownEnd);
};

const parsed = (text: string): { readonly json: JsonValue } | null => {
  try {
    return { json: JSON.parse(text) as JsonValue };
  } catch {
    return null;
  }
};

const isReserved = (key: string): boolean => /^(?:system|config)(?:\.|$)/.test(key);

const FENCE = /```[a-z]*\n([\s\S]*?)```/g;

/**
 * Returns the JSON of a fenced block, else of the whole answer, else its first balanced object or list. Null if there
 * is none.
 */
const jsonIn = (text: string): { readonly json: JsonValue } | null => {
  for (const fence of text.matchAll(FENCE)) {
    const found = parsed(fence[1] ?? '');
    if (found !== null) return found;
  }
  const whole = parsed(text);
  if (whole !== null) return whole;
  const start = text.search(/[[{]/);
  if (start < 0) return null;
  for (let end = text.length; end > start; end -= 1) {
    const found = parsed(text.slice(start, end));
    if (found !== null) return found;
  }
  return null;
};

const validators = new Map<string, ValidateFunction>();

const validates = (schema: JsonObject | boolean, json: JsonValue): boolean => {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? new Ajv({ strict: false }).compile(schema);
  validators.set(key, validate);
  return validate(json);
};

const signalOf = (text: string, rules: AnswerRules): Omit<ReadAnswer, 'append' | 'exports'> => {
  if (rules.keyword !== null) {
    return { signal: text.includes(rules.keyword) ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE', byEngine: false };
  }
  const token = lastToken(text);
  if (token !== null) return { signal: token, byEngine: false };
  return rules.schema === null && rules.data === null
    ? { signal: 'SIGNAL:NO_SIGNAL', byEngine: true }
    : { signal: 'SIGNAL:SUCCESS', byEngine: false };
};

/** Returns the last fenced block that is JSON, else the text above the signal if it is JSON; null if neither is. */
const dataIn = (text: string): { readonly json: JsonValue } | null => {
  const blocks = Array.from(text.matchAll(FENCE), ([, inside = '']) => parsed(inside));
  const last = blocks.findLast((block) => block !== null);
  if (last !== undefined && last !== null) return last;
  const lines = text.trimEnd().split('\n');
  return parsed(lastToken(text) === null ? text : lines.slice(0, -1).join('\n'));
};

/** Reads an answer that must contain data (points 10 and 11 of docs/decisions/2026-11-25-verdicts.md). */
const readWithData = (text: string, answer: Draft, schema: JsonObject | boolean, rules: AnswerRules): ReadAnswer => {
  const found = dataIn(text);
  if (found === null || !validates(schema, found.json)) {
    const error: Draft = { type: 'VALIDATION_ERROR', content: 'the answer has no valid data' };
    return { signal: 'SIGNAL:VALIDATION_FAIL', byEngine: true, append: [answer, error], exports: new Map() };
  }
  const declared = Object.keys(objectOr(typeof schema === 'boolean' ? undefined : schema['properties']));
  const own = Object.entries(objectOr(found.json)).filter(([key]) => declared.includes(key));
  const data: Draft = { type: 'ANSWER_DATA', content: JSON.stringify(found.json) };
  return {
    ...signalOf(text, rules),
    append: [answer, data],
    exports: new Map(own.filter(([key]) => !isReserved(key))),
  };
};

/** Reads signal and segments from the text of an AI worker (point 26 of docs/decisions/2026-11-21-run-semantics.md). */
export const readAnswer = (text: string, rules: AnswerRules): ReadAnswer => {
  const answer: Draft = { type: rules.outputType, content: text };
  if (rules.data !== null) return readWithData(text, answer, rules.data, rules);
  if (rules.schema !== null) {
    const found = jsonIn(text);
    if (found === null || !validates(rules.schema, found.json)) {
      const error: Draft = { type: 'VALIDATION_ERROR', content: 'the answer does not fit its schema' };
      return { signal: 'SIGNAL:VALIDATION_FAIL', byEngine: true, append: [answer, error], exports: new Map() };
    }
  }
  return { ...signalOf(text, rules), append: [answer], exports: new Map() };
};
