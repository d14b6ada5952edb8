import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { NumberedOperation, Operation } from './operation.ts';
import { type LoomProblem, problem } from './problem.ts';

export type ParsedOperations =
  | { readonly ok: true; readonly operations: readonly NumberedOperation[] }
  | { readonly ok: false; readonly problems: readonly LoomProblem[] };

/** Maximum number of operations in one list. */
const MOST = 1_000;

const NAMES: Readonly<Record<string, Operation['op']>> = {
  insert: 'insert',
  replaceblock: 'replaceBlock',
  append: 'append',
  replaceline: 'replaceLine',
};

const FIELDS: Readonly<Record<Operation['op'], readonly string[]>> = {
  insert: ['path', 'anchor', 'content', 'position'],
  replaceBlock: ['path', 'start', 'end', 'content'],
  append: ['path', 'content'],
  replaceLine: ['path', 'line', 'content', 'expected'],
};

/** Alternative names of fields that are also accepted. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  operation: 'op',
  anchor_text: 'anchor',
  new_content: 'content',
  start_marker: 'start',
  end_marker: 'end',
  line_number: 'line',
};

const nameIn = (written: string): Operation['op'] | undefined => {
  const plain = written.replaceAll('_', '').toLowerCase();
  return Object.hasOwn(NAMES, plain) ? NAMES[plain] : undefined;
};

type Fields = ReadonlyMap<string, JsonValue>;

const fieldsOf = (value: JsonObject): Fields =>
  new Map(
    Object.entries(value).map(([key, member]) => [
      Object.hasOwn(OTHER_NAMES, key) ? (OTHER_NAMES[key] ?? key) : key,
      member,
    ]),
  );

/** `filled`: not blank; `marker`: not blank, or empty, which stands for an end of the file; `any`: any text. */
type Needs = 'filled' | 'marker' | 'any';

/**
 * Reads the fields of an operation. The first problem is returned by `wrong`. After it, the remaining fields still
 * yield values, but the operation is rejected.
 */
interface Reader {
  readonly text: (key: string, needs?: Needs) => string;
  readonly line: (key: string) => number;
  readonly position: (key: string) => 'before' | 'after';
  readonly wrong: () => string | null;
}

function whyNoText(key: string, value: JsonValue | undefined, needs: Needs): string | null {
  if (typeof value !== 'string') return `"${key}" must be a string`;
  if (needs !== 'any' && value.trim() === '' && (needs === 'filled' || value !== ''))
    return `"${key}" must not be blank`;
  if (!value.isWellFormed()) return `"${key}" contains an incomplete Unicode character`;
  return value.includes('\0') ? `"${key}" contains a NUL character` : null;
}

function readerOf(fields: Fields): Reader {
  let wrong: string | null = null;
  const noting = <Value>(reason: string | null, value: Value): Value => {
    wrong ??= reason;
    return value;
  };
  return {
    text: (key, needs = 'filled') => {
      const value = fields.get(key);
      const reason = whyNoText(key, value, needs);
      return noting(reason, typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : '');
    },
    line: (key) => {
      const value = fields.get(key);
      const isLine = typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
      return noting(isLine ? null : `"${key}" must be a line number, at least 1`, isLine ? value : 1);
    },
    position: (key) => {
      const value = fields.get(key) ?? 'after';
      const isOne = value === 'before' || value === 'after';
      return noting(isOne ? null : `"${key}" must be "before" or "after"`, isOne ? value : 'after');
    },
    wrong: () => wrong,
  };
}

function read(op: Operation['op'], from: Reader, fields: Fields): Operation {
  const path = from.text('path');
  switch (op) {
    case 'insert':
      return {
        op,
        path,
        anchor: from.text('anchor'),
        content: from.text('content', 'any'),
        position: from.position('position'),
      };
    case 'replaceBlock':
      return {
        op,
        path,
        start: from.text('start', 'marker'),
        end: from.text('end', 'marker'),
        content: from.text('content', 'any'),
      };
    case 'append':
      return { op, path, content: from.text('content', 'any') };
    case 'replaceLine': {
      const expected = (fields.get('expected') ?? null) === null ? null : from.text('expected', 'any');
      return { op, path, line: from.line('line'), content: from.text('content', 'any'), expected };
    }
  }
}

function whyWrong(operation: Operation, fields: Fields): string | null {
  const known = FIELDS[operation.op];
  const unknown = [...fields.keys()].find((key) => key !== 'op' && !known.includes(key));
  if (unknown !== undefined) return `${operation.op} has no field "${unknown}"; its fields are ${known.join(', ')}`;
  if (operation.op === 'replaceBlock' && operation.start === '' && operation.end === '')
    return '"start" and "end" must not both be empty, because that would replace the whole file';
  const adds = operation.op === 'insert' || operation.op === 'append';
  return adds && operation.content === '' ? '"content" is empty' : null;
}

function parseOne(value: JsonValue, number: number): NumberedOperation | LoomProblem {
  const bad = (message: string, path: string | null = null): LoomProblem =>
    problem('bad_operation', { number, path }, message);
  if (!isObject(value)) return bad('an operation must be an object');
  const fields = fieldsOf(value);
  const written = fields.get('op');
  const op = typeof written === 'string' ? nameIn(written) : undefined;
  if (op === undefined) return bad(`"op" must be one of ${Object.keys(FIELDS).join(', ')}`);
  const reader = readerOf(fields);
  const operation = read(op, reader, fields);
  const wrong = reader.wrong() ?? whyWrong(operation, fields);
  return wrong === null ? { ...operation, number } : bad(wrong, operation.path === '' ? null : operation.path);
}

/**
 * Returns the operations in a JSON value: a list, an object with a list in `operations` or `edits`, or a single
 * operation. Returns null if the value is none of these.
 */
export function listIn(value: JsonValue): readonly JsonValue[] | null {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (!isObject(value)) return null;
  const list = value['operations'] ?? value['edits'];
  if (Array.isArray(list)) return list as readonly JsonValue[];
  return 'op' in value || 'operation' in value ? [value] : null;
}

/** Converts a JSON value to operations, or returns all problems in it. */
export function parseOperations(value: JsonValue): ParsedOperations {
  const none = (message: string): ParsedOperations => ({
    ok: false,
    problems: [problem('no_operations', { number: null, path: null }, message)],
  });
  const list = listIn(value);
  if (list === null || list.length === 0) return none('there is no list of operations');
  if (list.length > MOST) return none(`there are ${list.length} operations, more than the limit of ${MOST}`);
  const parsed = list.map((one, index) => parseOne(one, index + 1));
  const problems = parsed.filter((one): one is LoomProblem => 'code' in one);
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, operations: parsed.filter((one): one is NumberedOperation => 'op' in one) };
}
