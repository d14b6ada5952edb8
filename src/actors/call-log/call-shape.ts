import { isObject } from '#protocol/json.ts';

// Checks the fields of parsed log files, which may be damaged or may come from another program.

type Fields = Readonly<Record<string, unknown>>;

const isListOf = (value: unknown, isOne: (one: Fields) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isObject(one) && isOne(one));

const areTexts = (fields: Fields, ...names: readonly string[]): boolean =>
  names.every((name) => typeof fields[name] === 'string');

const areNumbers = (fields: Fields, ...names: readonly string[]): boolean =>
  names.every((name) => Number.isFinite(fields[name]));

const isAbsent = (value: unknown): boolean => value === null || value === undefined;

const areTextsIfAny = (fields: Fields, ...names: readonly string[]): boolean =>
  names.every((name) => isAbsent(fields[name]) || typeof fields[name] === 'string');

const areNumbersIfAny = (fields: Fields, ...names: readonly string[]): boolean =>
  names.every((name) => isAbsent(fields[name]) || Number.isFinite(fields[name]));

/** The latest time that a `Date` can represent, in milliseconds. */
const LAST_MS = 8.64e15;

export const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= LAST_MS;

const isTimes = (value: unknown): boolean => isObject(value) && areNumbers(value, 'queued', 'total');

const isSegment = (one: Fields): boolean => areTexts(one, 'text', 'name');

const isRequest = (value: unknown): boolean =>
  isObject(value) &&
  areTexts(value, 'provider', 'model') &&
  isListOf(value['segments'], isSegment) &&
  isListOf(value['cut'], (one) => areTexts(one, 'name') && areNumbers(one, 'layer', 'tokens', 'kept'));

const isAttempt = (one: Fields): boolean => areTexts(one, 'key', 'outcome') && isTimes(one['ms']);

const isAnswer = (value: unknown): boolean => value === null || (isObject(value) && areTexts(value, 'text'));

const isUsage = (value: unknown): boolean =>
  value === null || (isObject(value) && areNumbers(value, 'input', 'output') && areNumbersIfAny(value, 'cached'));

export function isCall(value: Fields): boolean {
  const { request, attempts, cost, ms, answer, started_at: at, outcome, tokens_used: used } = value;
  return (
    isRequest(request) &&
    isListOf(attempts, isAttempt) &&
    areTextsIfAny(value, 'origin', 'run', 'block') &&
    isObject(cost) &&
    areNumbersIfAny(cost, 'micro_usd') &&
    isTimes(ms) &&
    isAnswer(answer) &&
    isUsage(used) &&
    isTime(at) &&
    typeof outcome === 'string'
  );
}

/** Returns whether the value is a line of the index. */
export const isSummary = (value: unknown): boolean =>
  isObject(value) &&
  areTexts(value, 'file', 'call', 'provider', 'model', 'outcome') &&
  areTextsIfAny(value, 'origin', 'run', 'block', 'key', 'agent') &&
  isTime(value['started_at']) &&
  areNumbers(value, 'attempts', 'ms') &&
  areNumbersIfAny(value, 'input', 'output', 'cached', 'micro_usd');
