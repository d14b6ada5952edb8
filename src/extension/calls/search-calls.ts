import type { CallSummary } from '#protocol/call-record.ts';

/** A logged call with the names that only the project knows. */
export interface KnownCall {
  readonly call: CallSummary;
  /** The worker of the call's block in the current manifest; null if there is none. */
  readonly worker: string | null;
  /** The title of the session; null for a call outside of sessions. */
  readonly session: string | null;
}

/** One condition of a search, such as `model:tiny` or `cost>0.01`. */
interface Term {
  readonly field: string;
  readonly sign: ':' | '<' | '>';
  readonly value: string;
}

export interface CallQuery {
  readonly terms: readonly Term[];
  /** Words without a field: each must occur in any field. */
  readonly words: readonly string[];
  /** The texts of `text:`, which the host finds in requests and answers. */
  readonly texts: readonly string[];
}

const TERM = /^([a-z]+)([:<>])(.*)$/i;

/** Splits a text at spaces outside of double quotes, and removes the quotes. */
const partsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:[^\s"]|"[^"]*(?:"|$))+/g)].map(([part]) => part.replaceAll('"', ''));

const MICRO = 1e6;
const SECOND = 1_000;

type Text = (one: KnownCall) => readonly (string | null)[];
type Amount = (one: KnownCall) => number | null;

const TEXTS: Readonly<Record<string, Text>> = {
  session: ({ session, call }) => [session, call.session ?? null],
  run: ({ call }) => [call.run],
  block: ({ call }) => [call.block],
  worker: ({ worker }) => [worker],
  model: ({ call }) => [call.model],
  provider: ({ call }) => [call.provider],
  key: ({ call }) => [call.key],
  outcome: ({ call }) => [call.outcome],
  call: ({ call }) => [call.call, call.origin],
};

const AMOUNTS: Readonly<Record<string, Amount>> = {
  cost: ({ call }) => (call.micro_usd === null ? null : call.micro_usd / MICRO),
  tokens: ({ call }) => (call.input === null && call.output === null ? null : (call.input ?? 0) + (call.output ?? 0)),
  seconds: ({ call }) => call.ms / SECOND,
};

const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The fields that a search can name. */
export const CALL_FIELDS: readonly string[] = [...Object.keys(TEXTS), ...Object.keys(AMOUNTS), 'time', 'text'];

const UNITS: Readonly<Record<string, number>> = { m: 60 * SECOND, h: 3_600 * SECOND, d: 86_400 * SECOND };

/** Returns the start of the period that a search names: a date, or an age such as `2h`. Null if it is neither. */
function timeOf(value: string, now: number): number | null {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(value) ?? [];
  if (count !== undefined) return now - Number(count) * (own(UNITS, unit) ?? 0);
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00`) : Date.parse(value);
  return Number.isNaN(date) ? null : date;
}

const compares = (sign: Term['sign'], left: number, right: number): boolean => {
  if (sign === ':') return left === right;
  return sign === '<' ? left < right : left > right;
};

const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);
const DAY = 86_400 * SECOND;

function isAtTime({ call }: KnownCall, { sign, value }: Term, now: number): boolean {
  const time = timeOf(value, now);
  if (time === null) return false;
  if (sign !== ':') return compares(sign, call.started_at, time);
  // `time:2h` means the last two hours, `time:2026-11-25` means that day.
  return isDay(value) ? call.started_at >= time && call.started_at < time + DAY : call.started_at >= time;
}

const contains = (texts: readonly (string | null)[], wanted: string): boolean =>
  texts.some((text) => text?.toLowerCase().includes(wanted.toLowerCase()) === true);

function isMet(one: KnownCall, term: Term, now: number): boolean {
  if (term.field === 'time') return isAtTime(one, term, now);
  const amount = own(AMOUNTS, term.field);
  if (amount === undefined) return contains(own(TEXTS, term.field)?.(one) ?? [], term.value);
  const [left, right] = [amount(one), Number(term.value)];
  return left !== null && term.value !== '' && compares(term.sign, left, right);
}

/** Reads the text of a search. An unknown field is part of a word, so that model names may contain a colon. */
export function readQuery(text: string): CallQuery {
  const [terms, words, texts]: [Term[], string[], string[]] = [[], [], []];
  for (const part of partsOf(text)) {
    const [, name = '', sign = '', value = ''] = TERM.exec(part) ?? [];
    const field = name.toLowerCase();
    const isText = sign === ':' && own(TEXTS, field) !== undefined;
    const isAmount = own(AMOUNTS, field) !== undefined || field === 'time';
    if (field === 'text' && sign === ':') {
      if (value !== '') texts.push(value);
    } else if (isText || isAmount) terms.push({ field, sign: sign as Term['sign'], value });
    else words.push(part);
  }
  return { terms, words, texts };
}

/**
 * Returns the calls that a search finds, in the given order. `withTexts`: the ids of the calls that contain the texts of
 * the query; null while the host searches them.
 */
export function searchCalls(
  calls: readonly KnownCall[],
  { terms, words, texts }: CallQuery,
  now: number,
  withTexts: ReadonlySet<string> | null,
): readonly KnownCall[] {
  const isFound = (one: KnownCall): boolean =>
    terms.every((term) => isMet(one, term, now)) &&
    words.every((word) =>
      contains(
        Object.values(TEXTS).flatMap((textsOf) => textsOf(one)),
        word,
      ),
    ) &&
    (texts.length === 0 || withTexts?.has(one.call.call) === true);
  return calls.filter(isFound);
}
