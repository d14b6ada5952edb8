import type { ShapeError, Validate } from '../generated/validate-manifest.gen.js';
import type { Diagnose } from './diagnose.ts';
import { followPointer, type PointerTarget } from './follow-pointer.ts';
import { actualType, typeName } from './json-reader.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type RightWord, rightWord } from './wrong-words.ts';

/** The property names that every JavaScript object inherits. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Returns why a text can't be a name in a manifest, or null if it can. */
export function whyForbidden(name: string): string | null {
  if (name === '') return 'it is empty';
  if (INHERITED.has(name)) return 'every JavaScript object already has a property of that name';
  if (name.startsWith('xstate.')) return 'names that begin with "xstate." are reserved for XState';
  const char = /[^A-Za-z0-9_-]/u.exec(name)?.[0];
  if (char !== undefined) return `it contains the character "${char}"`;
  if (/^[0-9]+$/.test(name)) return 'JavaScript would reorder names made of digits only';
  if (name.includes('__')) return '"__" is reserved to separate a node from its block';
  return name.length > 200 ? 'it is longer than 200 characters' : null;
}

type Reporter = (error: ShapeError, at: PointerTarget, diagnose: Diagnose) => void;

const nameOf = ({ spot }: PointerTarget): string => {
  if (spot.member === undefined) return 'the file';
  return typeof spot.member === 'number' ? `entry ${spot.member + 1} of the list` : `"${spot.member}"`;
};

const subject = (at: PointerTarget): string => nameOf(at).replace(/^[a-z]/, (first) => first.toUpperCase());

const text = (value: unknown): string => JSON.stringify(value) ?? String(value);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const param = (error: ShapeError, name: string): string => String(error.params[name]);

/** The longest text, in characters, that is repeated in an example. */
const LONGEST_EXAMPLE = 60;

/** Keys whose value is a list of commands, each of them a list. */
const LISTS_OF_COMMANDS: readonly PointerTarget['spot']['member'][] = ['setup', 'teardown'];

/** Returns the list that was probably meant by a text: a command is often written as one. */
function exampleList({ spot, value }: PointerTarget): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST_EXAMPLE) return undefined;
  const words = `[${value.trim().split(/\s+/).map(text).join(', ')}]`;
  return LISTS_OF_COMMANDS.includes(spot.member) ? `[${words}]` : words;
}

/** Examples for objects that are often written as a text. */
const EXAMPLES: ReadonlyMap<unknown, string> = new Map([
  ['onSuccess', '{ "type": "jump", "block": "<block>" }'],
  ['onFailure', '{ "type": "stop_and_flag" }'],
]);

const reportType: Reporter = (error, at, { report }) => {
  const [type, ...others] = [error.params['type']].flat();
  const isObject = type === 'object' && others.length === 0;
  const example = type === 'array' ? exampleList(at) : isObject ? EXAMPLES.get(at.spot.member) : undefined;
  const expected =
    example === undefined ? [type, ...others].map(typeName).join(' or ') : `${typeName(type)} such as ${example}`;
  report('RS1009', at.spot, { what: subject(at), expected, actual: actualType(at.value) });
};

const reportUnknownKey: Reporter = (error, at, { report, nearest }) => {
  const key = param(error, 'additionalProperty');
  const properties = error.parentSchema?.['properties'];
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const container = typeof at.value === 'object' && at.value !== null ? at.value : at.spot.container;
  report(
    'RS1010',
    { container, member: key, side: 'key' },
    { key, where: nameOf(at), known: known.join(', ') },
    { near: nearest(key, known) ?? rightWord('key', key, known)?.near ?? null },
  );
};

const reportMissingKey: Reporter = (error, at, { report }) => {
  report('RS1011', { ...at.spot, side: 'key' }, { where: subject(at), key: param(error, 'missingProperty') });
};

/** Returns what a wrong value probably stands for. */
function meant(at: PointerTarget, allowed: readonly string[], { nearest }: Diagnose): RightWord | null {
  if (typeof at.value !== 'string') return null;
  const near = nearest(at.value, allowed);
  if (near !== null) return { near };
  return at.spot.member === 'kind' ? rightWord('kind', at.value, allowed) : null;
}

function reportValue(allowed: readonly unknown[], at: PointerTarget, diagnose: Diagnose): void {
  const names = allowed.filter((value) => typeof value === 'string');
  const right = meant(at, names, diagnose);
  const beside = Object.entries(right?.beside ?? {}).map(([key, value]) => ` (with ${text(key)}: ${text(value)})`);
  const shown = allowed.map((value) => (value === right?.near ? text(value) + beside.join('') : text(value)));
  const params = { what: subject(at), actual: text(at.value), allowed: shown.join(', ') };
  diagnose.report('RS1012', at.spot, params, { near: right?.near ?? null });
}

const reportEnum: Reporter = (error, at, diagnose) => {
  reportValue(list(error.params['allowedValues']), at, diagnose);
};

const reportConst: Reporter = (error, at, diagnose) => {
  reportValue([error.params['allowedValue']], at, diagnose);
};

const TAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['kind', ['ai', 'command', 'agent', 'module', 'scripted']],
  ['policy', ['retry', 'repair', 'bubble']],
  ['type', ['proceed', 'execute_node', 'stop_and_flag', 'jump', 'return']],
]);

const reportTag: Reporter = (error, at, diagnose) => {
  const tag = param(error, 'tag');
  const container = typeof at.value === 'object' && at.value !== null ? at.value : at.spot.container;
  const value = error.params['tagValue'];
  if (value === undefined) {
    diagnose.report('RS1011', { ...at.spot, side: 'key' }, { where: subject(at), key: tag });
    return;
  }
  const actual = typeof value === 'string' ? value : null;
  reportValue(TAGS.get(tag) ?? [], { value: actual, spot: { container, member: tag } }, diagnose);
};

const reportPattern: Reporter = (error, at, { report }) => {
  const description = error.parentSchema?.['description'];
  const expected =
    typeof description === 'string'
      ? description.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]* )/, (first) => first.toLowerCase())
      : `a text that matches ${param(error, 'pattern')}`;
  const near = typeof at.value === 'string' ? nearSignal(at.value) : null;
  report(
    'RS1013',
    at.spot,
    { what: subject(at), actual: typeof at.value === 'string' ? at.value : text(at.value), expected },
    { near },
  );
};

function nearSignal(value: string): string | null {
  const name = value.replace(/^signal:/i, '');
  const signal = `SIGNAL:${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
  return /^signal:/i.test(value) || /^[A-Z0-9_]+$/.test(value) ? signal : null;
}

/** Returns the prefix that names in this section may have; empty if they have none. */
const prefixOf = (member: PointerTarget['spot']['member']): string => (member === 'workers' ? 'Worker:' : '');

/** Sections whose keys are signals. */
const BY_SIGNAL: readonly PointerTarget['spot']['member'][] = ['on', 'default_transitions'];

function reportSignalName(name: string, spot: PointerTarget['spot'], { report }: Diagnose): void {
  const signal = nearSignal(name.toUpperCase())?.replace(/^SIGNAL:/, '') ?? '';
  const near = /[A-Z]/.test(signal) ? signal : null;
  const problem = 'it does not have the form of a signal';
  report('RS1016', spot, { name, problem, form: 'capital letters, digits and `_`' }, { near });
}

const reportName: Reporter = (error, at, diagnose) => {
  const name = param(error, 'propertyName');
  const prefix = prefixOf(at.spot.member);
  const container = typeof at.value === 'object' && at.value !== null ? at.value : at.spot.container;
  const spot = { container, member: name, side: 'key' } as const;
  if (BY_SIGNAL.includes(at.spot.member)) return reportSignalName(name, spot, diagnose);
  const bare = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  const problem = whyForbidden(bare.replace(/^Block:/, '')) ?? 'it does not have the form of a name';
  const form = `letters, digits, \`_\` and \`-\`, not only digits${prefix === '' ? '' : `, with or without "${prefix}"`}`;
  diagnose.report('RS1016', spot, { name, problem, form });
};

const BOUND: ReadonlyMap<string, string> = new Map([
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['exclusiveMinimum', 'more than'],
]);

const reportRange: Reporter = (error, at, { report }) => {
  const bound = `${BOUND.get(error.keyword) ?? 'about'} ${param(error, 'limit')}`;
  report('RS1014', at.spot, { what: subject(at), bound, actual: text(at.value) });
};

const reportCount: Reporter = (error, at, { report }) => {
  const unit = error.keyword.endsWith('Items') ? 'entries' : 'characters';
  const bound = `${error.keyword.startsWith('min') ? 'at least' : 'at most'} ${param(error, 'limit')} ${unit}`;
  report('RS1015', at.spot, {
    what: subject(at),
    bound: bound.replace('1 entries', '1 entry').replace('1 characters', '1 character'),
  });
};

const REPORTERS: ReadonlyMap<string, Reporter> = new Map([
  ['type', reportType],
  ['additionalProperties', reportUnknownKey],
  ['required', reportMissingKey],
  ['enum', reportEnum],
  ['const', reportConst],
  ['discriminator', reportTag],
  ['pattern', reportPattern],
  ['propertyNames', reportName],
  ['minimum', reportRange],
  ['maximum', reportRange],
  ['exclusiveMinimum', reportRange],
  ['minItems', reportCount],
  ['maxItems', reportCount],
  ['minLength', reportCount],
  ['maxLength', reportCount],
]);

/** Converts one error of the generated schema validator into a diagnostic. */
function reportShapeError(error: ShapeError, at: PointerTarget, diagnose: Diagnose): void {
  const report = REPORTERS.get(error.keyword);
  if (report === undefined) throw new Error(`bug: no reporter for the schema keyword "${error.keyword}"`);
  report(error, at, diagnose);
}

/**
 * Reports every difference between a file's value and its schema. Later phases read the value leniently, so that one
 * wrong member does not hide findings about the others.
 */
export function checkShape(root: JsonObject, validate: Validate, diagnose: Diagnose): void {
  if (validate(root)) return;
  for (const error of validate.errors ?? []) {
    const at = followPointer(root, error.instancePath);
    const aboutKey = error.data !== at.value;
    // A wrong key causes two errors. The error of the key's own schema is skipped; the error of `propertyNames`, which
    // contains the key, is reported.
    if (!aboutKey) reportShapeError(error, at, diagnose);
  }
}
