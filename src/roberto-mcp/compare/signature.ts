import type { LanguageName } from '../parse/languages.ts';
import { closing, splitTop } from './balanced.ts';

/** One parameter of a function signature. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  /** True if one parameter takes any number of arguments. */
  readonly variadic: boolean;
  /** Whether arguments may be passed by name: `only` by name, `never` by name, or `either`. Used for Python only. */
  readonly byName: 'either' | 'never' | 'only';
}

export interface Signature {
  readonly language: LanguageName;
  readonly parameters: readonly Parameter[];
  readonly result: string;
  /** Names of type parameters. */
  readonly generics: readonly string[];
  /** Words such as `async` that change how a function is called. */
  readonly modifiers: readonly string[];
}

/** Removes the parts of a type that don't matter to callers: blanks, lifetimes and modifiers such as `readonly`. */
const plainType = (type: string): string =>
  type
    .replace(/<'\w+>/gu, '')
    .replace(/'\w+\s+/gu, '')
    .replace(/\breadonly\s+/gu, '')
    .replace(/\s+/gu, '');

function parameter(text: string): Parameter {
  const equals = /(?<![=!<>])=(?![=>])/u.exec(text)?.index ?? -1;
  const declared = (equals < 0 ? text : text.slice(0, equals)).trim();
  const variadic = /^(?:\.\.\.|\*)/u.test(declared) || /\.\.\./u.test(declared);
  const colon = declared.indexOf(':');
  const blank = declared.lastIndexOf(' ');
  const name = colon >= 0 ? declared.slice(0, colon) : blank >= 0 ? declared.slice(0, blank) : declared;
  const type = colon >= 0 ? declared.slice(colon + 1) : blank >= 0 ? declared.slice(blank + 1) : '';
  return {
    name: name.replace(/[?*.&]|\b(?:mut|readonly|public|private)\b/gu, '').trim(),
    type: plainType(type),
    optional: equals >= 0 || variadic || /\?\s*(?::|$)/u.test(declared),
    variadic,
    byName: 'either',
  };
}

/** Parses a Go list of parameters or results, in which `a, b string` gives both names one type. */
function goTypes(parts: readonly string[]): readonly (readonly [name: string, type: string])[] {
  const split = parts.map((part) => /^(\w+)\s+(?!\{)(\S.*)$/su.exec(part));
  const named = split.some(
    (match) => match !== null && !['chan', 'func', 'map', 'struct', 'interface'].includes(match[1] ?? ''),
  );
  if (!named) return parts.map((part) => ['', plainType(part)]);
  const types: (readonly [string, string])[] = [];
  let type = '';
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const match = split[at] ?? null;
    if (match !== null) type = plainType(match[2] ?? '');
    types.unshift([match?.[1] ?? parts[at] ?? '', type]);
  }
  return types;
}

const goParameters = (parts: readonly string[]): readonly Parameter[] =>
  goTypes(parts).map(([name, type]) => {
    const variadic = type.startsWith('...');
    return { name, type, optional: variadic, variadic, byName: 'never' };
  });

const RECEIVER = /^(?:self|&(?:'\w+\s+)?(?:mut\s+)?self|mut self|cls)$/u;

/** Parses Python parameters. Those after `*` are passed by name only, those before `/` by position only. */
function pythonParameters(parts: readonly string[]): readonly Parameter[] {
  const list = parts[0] !== undefined && RECEIVER.test(parts[0].split(':')[0] ?? '') ? parts.slice(1) : parts;
  const slash = list.indexOf('/');
  const star = list.findIndex((part) => /^\*(?!\*)/u.test(part));
  return list.flatMap((part, at): readonly Parameter[] =>
    part === '/' || part === '*'
      ? []
      : [
          {
            ...parameter(part),
            byName: at < slash ? 'never' : star >= 0 && at > star && !part.startsWith('**') ? 'only' : 'either',
          },
        ],
  );
}

/** Returns a Go result as the list of its types. */
function goResult(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('(')) return plainType(trimmed);
  const types = goTypes(splitTop(trimmed.slice(1, closing(trimmed, 0)))).map(([, type]) => type);
  return types.length === 1 ? (types[0] ?? '') : `(${types.join(',')})`;
}

/** Returns the offset after the function's name in its signature. */
function afterName(signature: string, name: string): number {
  const escaped = name.replaceAll('$', '\\$');
  const called = new RegExp(`(?<![\\w$.])${escaped}(?=\\s*[(<\\[=:?])`, 'u').exec(signature);
  const at = called?.index ?? signature.indexOf(name);
  return at < 0 ? 0 : at + name.length;
}

const MODIFIERS = /\b(?:async|unsafe|static|abstract)\b|@property\b|@staticmethod\b|@classmethod\b/gu;

/** Parses a signature; returns null if it has no parameter list. */
export function readSignature(language: LanguageName, signature: string, name: string): Signature | null {
  const start = afterName(signature, name);
  const generic = /^\s*[<[]/u.exec(signature.slice(start));
  const open0 = generic === null ? -1 : start + generic[0].length - 1;
  const behind = open0 < 0 ? start : closing(signature, open0) + 1;
  const open = signature.indexOf('(', Math.max(start, behind));
  const close = open < 0 ? -1 : closing(signature, open);
  if (close < 0) return null;
  const generics =
    open0 < 0 ? [] : splitTop(signature.slice(open0 + 1, behind - 1)).map((one) => /^'?\w+/u.exec(one)?.[0] ?? '');
  const parts = splitTop(signature.slice(open + 1, close));
  const rest = signature.slice(close + 1);
  return {
    language,
    parameters:
      language === 'python'
        ? pythonParameters(parts)
        : language === 'go'
          ? goParameters(parts)
          : parts.filter((part) => !RECEIVER.test(part)).map(parameter),
    result: language === 'go' ? goResult(rest) : plainType(rest.replace(/\bwhere\b[\s\S]*$/u, '')),
    generics: generics.filter((one) => one !== '' && !one.startsWith("'")),
    modifiers: [...new Set(signature.slice(0, open).match(MODIFIERS) ?? [])].sort(),
  };
}

const mentions = (type: string, names: readonly string[]): boolean =>
  names.some((name) => new RegExp(`\\b${name}\\b`, 'u').test(type));
const ANYTHING = new Set(['any', 'unknown', 'object', 'interface{}', '...any', '...interface{}']);

/**
 * True if the type `after` accepts every value of the type `before`: a union with more members, a type parameter,
 * `any`.
 */
function widens(before: string, after: string, generics: readonly string[]): boolean {
  if (ANYTHING.has(after) || mentions(after, generics) || /^&?impl\b|^impl[A-Z]/u.test(after)) return true;
  const members = new Set(splitTop(after, '|'));
  return splitTop(before, '|').every((member) => members.has(member));
}

/** True if each value of the type `after` is one of the type `before`. */
function narrows(before: string, after: string): boolean {
  const members = new Set(splitTop(before, '|'));
  return (
    splitTop(after, '|').every((member) => members.has(member)) ||
    splitTop(after, '&').includes(before) ||
    before === 'void'
  );
}

const modifierReason = (before: Signature, after: Signature): string | null => {
  const different = [...before.modifiers, ...after.modifiers].filter(
    (one) => before.modifiers.includes(one) !== after.modifiers.includes(one),
  );
  if (different.includes('async')) return 'it changed between synchronous and asynchronous';
  const [first] = different.filter((one) => one !== 'abstract' && (one !== 'unsafe' || after.modifiers.includes(one)));
  return first === undefined ? null : `\`${first}\` was ${after.modifiers.includes(first) ? 'added' : 'removed'}`;
};

/**
 * Describes a change that affects all callers regardless of their arguments, or returns null if there is none. Adding a
 * result to a function that had none does not count, because its callers use no result.
 */
export function changeForAllCallers(before: Signature, after: Signature): string | null {
  const reason = modifierReason(before, after);
  if (reason !== null) return reason;
  const [a, b] = [before.result, after.result];
  if (a === b || narrows(a, b)) return null;
  const isInferred = (result: string): boolean =>
    result === '' && before.language !== 'go' && before.language !== 'rust';
  return isInferred(a) || isInferred(b) || a === '' ? null : 'the type of the result changed';
}

const typeChanged = (old: Parameter, now: Parameter, generics: readonly string[]): boolean =>
  old.type !== now.type && old.type !== '' && now.type !== '' && !widens(old.type, now.type, generics);

/** Describes why some calls that fitted the old parameter list don't fit the new one; returns null if all still fit. */
export function incompatibility(before: Signature, after: Signature): string | null {
  const [a, b] = [before.parameters, after.parameters];
  if (b.length < a.length) return 'a parameter was removed';
  const known = new Set(a.map(({ name }) => name));
  const added = b.slice(a.length);
  if (added.some(({ optional }) => !optional)) return 'a required parameter was added';
  for (const [index, old] of a.entries()) {
    const now = b[index];
    if (now === undefined) return 'a parameter was removed';
    if (old.optional && !now.optional) return `parameter ${now.name} is no longer optional`;
    if (old.variadic && !now.variadic) return `parameter ${now.name} takes one argument now`;
    if (typeChanged(old, now, after.generics)) return `the type of parameter ${now.name} changed`;
    const elsewhere = b.findIndex((other) => other.name === old.name && old.name !== '');
    if (elsewhere >= 0 && elsewhere !== index && known.has(now.name)) return 'the order of parameters changed';
    if (before.language !== 'python') continue;
    if (old.byName !== now.byName && now.byName !== 'either')
      return `parameter ${now.name} is given ${now.byName === 'only' ? 'by name only' : 'by position only'}`;
    if (old.name !== now.name) return `parameter ${old.name} was renamed to ${now.name}`;
  }
  return null;
}
