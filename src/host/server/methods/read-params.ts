import path from 'node:path';
import type { Environment } from '#protocol/environment.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';

/** Unchecked parameters. */
export type Params = Readonly<Record<string, unknown>>;

const wrong = (name: string, what: string): RoboSmithError =>
  new RoboSmithError('usage', `"${name}" must be ${what}.`, { parameter: name });

export function paramsOf(value: unknown): Params {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params;
  throw new RoboSmithError('usage', 'The parameters must be a JSON object.');
}

/** Reads a text of at most `most` characters. Throws `usage` otherwise. */
export function textOf(params: Params, name: string, most = 65_536): string {
  const value = params[name];
  if (typeof value === 'string' && value.length <= most) return value;
  throw wrong(name, `a text of at most ${most} characters`);
}

export const optionalText = (params: Params, name: string, most?: number): string | null =>
  params[name] === undefined || params[name] === null ? null : textOf(params, name, most);

export function flagOf(params: Params, name: string): boolean {
  const value = params[name];
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw wrong(name, 'true or false');
}

export function countOf(params: Params, name: string): number {
  const value = params[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(name, 'a whole number');
}

export function oneOf<Value extends string>(params: Params, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === params[name]);
  if (found !== undefined) return found;
  throw wrong(name, values.join(', '));
}

export function runOf(params: Params): RunId {
  const run = textOf(params, 'run', 64);
  if (/^r[0-9a-f]{1,32}$/.test(run)) return run as RunId;
  throw wrong('run', 'the id of a run');
}

export function absolutePath(params: Params, name: string): string {
  const value = textOf(params, name);
  if (path.isAbsolute(value) && !value.includes('\0')) return path.normalize(value);
  throw wrong(name, 'an absolute path');
}

/** The maximum number of environment variables of a request, and the maximum length of one value. */
const MOST_VARIABLES = 2_000;
const LONGEST_VALUE = 131_072;

const isVariable = ([name, value]: readonly [string, unknown]): boolean =>
  /^[^=\0]+$/.test(name) && typeof value === 'string' && value.length <= LONGEST_VALUE && !value.includes('\0');

/** Reads the environment of the client's terminal; null if the request has none. */
export function environmentOf(params: Params): Environment | null {
  const { environment } = params;
  if (environment === undefined || environment === null) return null;
  const entries = Object.entries(paramsOf(environment));
  if (entries.length <= MOST_VARIABLES && entries.every(isVariable)) return environment as Environment;
  throw wrong('environment', 'an object of environment variables');
}

const VERBS = ['retry', 'proceed', 'reject', 'next', 'jump', 'abort'] as const;
const MOST_ANSWERS = 1_000;

/** Reads the answers to halts that are given before the halts occur. */
export function answersOf(params: Params): readonly ScriptedAnswer[] {
  const { answers } = params;
  if (answers === undefined) return [];
  if (!Array.isArray(answers) || answers.length > MOST_ANSWERS)
    throw wrong('answers', `a list of at most ${MOST_ANSWERS} answers`);
  return answers.map((one: unknown): ScriptedAnswer => {
    const given = paramsOf(one);
    const guidance = optionalText(given, 'guidance', 1e6);
    const to = optionalText(given, 'to', 256);
    return {
      block: textOf(given, 'block', 256),
      answer: oneOf(given, 'answer', VERBS),
      ...(to === null ? {} : { to }),
      ...(guidance === null ? {} : { guidance }),
    };
  });
}
