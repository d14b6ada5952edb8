import type { SymbolKind } from '../parse/extraction.ts';
import { readDeclaredValue, sameValue } from './constant-value.ts';
import { judgeType } from './judge-type.ts';
import { bodyOf, type FileVersion, type PlacedDefinition } from './read-version.ts';
import { changeForAllCallers, incompatibility, readSignature } from './signature.ts';
import type { Judgement } from './symbol-change.ts';

export const CALLABLE: ReadonlySet<SymbolKind> = new Set<SymbolKind>(['constructor', 'function', 'method']);
const VALUES: ReadonlySet<SymbolKind> = new Set<SymbolKind>(['constant', 'variable', 'enum_member']);
export const TYPES: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  'class',
  'enum',
  'interface',
  'struct',
  'trait',
  'type',
]);

export const squeeze = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Returns the signature of a definition; for Python without comments. */
function headOf({ version: { language }, definition: { signature } }: PlacedDefinition): string {
  return language === 'python' ? signature.replace(/#.*$/gmu, '') : signature;
}

const isGenerator = ({ version, definition }: PlacedDefinition): boolean =>
  version.language === 'python' && /^\s+(?:.*[=(]\s*)?yield\b/mu.test(bodyOf(version, definition));

function judgeCallable(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const before = readSignature(old.version.language, headOf(old), old.definition.name);
  const after = readSignature(now.version.language, headOf(now), now.definition.name);
  if (before === null || after === null) return null;
  const always = changeForAllCallers(before, after);
  if (always !== null) return { kind: 'signature', why: always, effect: { on: 'calls', before: null, after: null } };
  if (isGenerator(old) !== isGenerator(now))
    return {
      kind: 'signature',
      why: 'it changed between a function and a generator',
      effect: { on: 'calls', before: null, after: null },
    };
  const why = incompatibility(before, after);
  return why === null ? null : { kind: 'signature', why, effect: { on: 'calls', before, after } };
}

/** Returns the implicit value of a Go constant without an explicit value: its distance from the `iota` above it. */
function countedValue({ version, definition }: PlacedDefinition): string {
  const { definitions } = version.extraction;
  const index = definitions.indexOf(definition);
  for (let at = index - 1; at >= 0; at -= 1) {
    const other = definitions[at];
    if (other === undefined || other.kind !== 'constant') return '';
    if (bodyOf(version, other).includes('iota')) return `iota + ${index - at}`;
  }
  return '';
}

function judgeValue(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const a = readDeclaredValue(bodyOf(old.version, old.definition), old.definition.name);
  const b = readDeclaredValue(bodyOf(now.version, now.definition), now.definition.name);
  if (a.type !== '' && b.type !== '' && squeeze(a.type) !== squeeze(b.type))
    return { kind: 'type', why: 'its type changed', effect: { on: 'reads' } };
  const [left, right] =
    a.value === '' && b.value === '' && old.version.language === 'go'
      ? [countedValue(old), countedValue(now)]
      : [a.value, b.value];
  return sameValue(left, right) ? null : { kind: 'value', why: 'its value changed', effect: { on: 'reads' } };
}

function judgeMember(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const typeOf = ({ definition: { signature, name } }: PlacedDefinition): string =>
    readDeclaredValue(signature, name)
      .type.replace(/^\?:?\s*/u, '')
      .replace(/\s+/gu, '');
  const [a, b] = [typeOf(old), typeOf(now)];
  if (a === b || a === '' || b === '') return null;
  const widened = a.split('|').every((member) => b.split('|').includes(member));
  return {
    kind: 'type',
    why: 'the type of the member changed',
    effect: { on: widened ? 'uses outside' : 'every use' },
  };
}

const HIDDEN = /\b(?:private|protected)\b/u;

/** True if a member of a type can no longer be used outside of the type. */
function becamePrivate(old: PlacedDefinition, now: PlacedDefinition): boolean {
  const [a, b] = [old.definition.signature, now.definition.signature];
  if (now.version.language === 'rust') return /^pub\b/u.test(a) && !/^pub\b/u.test(b);
  return !HIDDEN.test(a) && HIDDEN.test(b);
}

const exposes = ({ extraction: { exports } }: FileVersion, name: string): boolean =>
  exports.some((one) => one.name === name);

/** Describes how a symbol that still exists changed for its users, or returns null if no use can be affected. */
export function judgeSymbol(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const isTop = old.definition.parent === -1;
  if (isTop && old.definition.exported && !now.definition.exported && !exposes(now.version, old.definition.name))
    return { kind: 'unexported', why: 'it is no longer exported', effect: { on: 'uses outside' } };
  if (!isTop && becamePrivate(old, now))
    return { kind: 'unexported', why: 'it is private now', effect: { on: 'uses outside' } };
  if (CALLABLE.has(old.definition.kind)) return judgeCallable(old, now);
  if (TYPES.has(old.definition.kind)) return judgeType(old, now);
  if (VALUES.has(old.definition.kind)) return judgeValue(old, now);
  return ['field', 'property'].includes(old.definition.kind) ? judgeMember(old, now) : null;
}
