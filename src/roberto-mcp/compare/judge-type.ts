import type { Definition } from '../parse/extraction.ts';
import { splitTop } from './balanced.ts';
import { bodyOf, type PlacedDefinition } from './read-version.ts';
import { changeForAllCallers, incompatibility, readSignature } from './signature.ts';
import type { Judgement } from './symbol-change.ts';

const membersOf = ({ version: { extraction }, definition }: PlacedDefinition): readonly Definition[] => {
  const index = extraction.definitions.indexOf(definition);
  return extraction.definitions.filter(({ parent }) => parent === index);
};

const hasBody = ({ version }: PlacedDefinition, member: Definition): boolean => /\{/u.test(bodyOf(version, member));
const isOptional = ({ signature }: Definition): boolean => /\?\s*[:(]/u.test(signature);

/** True if every new value of the type must include the member. */
function isRequired(owner: PlacedDefinition, member: Definition): boolean {
  const { language } = owner.version;
  if (member.kind === 'method')
    return (
      owner.definition.kind !== 'class' &&
      owner.definition.kind !== 'struct' &&
      !isOptional(member) &&
      !hasBody(owner, member)
    );
  if (member.kind === 'field') return language === 'rust';
  return member.kind === 'property' && !isOptional(member);
}

/** True for a Python class whose constructor takes the fields as arguments in order. */
const takesFields = ({ version: { language }, definition: { signature } }: PlacedDefinition): boolean =>
  language === 'python' && /@(?:\w+\.)*dataclass\b|\bNamedTuple\b/u.test(signature);

function constructorSignature(owner: PlacedDefinition): ReturnType<typeof readSignature> {
  const { version, definition } = owner;
  const fields = version.lines
    .slice(definition.startRow, definition.endRow + 1)
    .flatMap((line) => /^ {4}(\w+\s*:\s*[^=#]+(?:=[^#]*)?)(?:#.*)?$/u.exec(line)?.[1]?.trim() ?? []);
  return readSignature('python', `${definition.name}(${fields.join(', ')})`, definition.name);
}

function judgeFields(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const [before, after] = [constructorSignature(old), constructorSignature(now)];
  if (before === null || after === null) return null;
  const why = changeForAllCallers(before, after) ?? incompatibility(before, after);
  return why === null ? null : { kind: 'signature', why, effect: { on: 'calls', before, after } };
}

const definedAs = ({ version, definition }: PlacedDefinition): string =>
  (/=\s*([\s\S]*?);?\s*$/u.exec(bodyOf(version, definition))?.[1] ?? '')
    .replace(/^\|/u, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** Compares types that are written as an expression, such as a union. */
function judgeAlias(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const [a, b] = [definedAs(old), definedAs(now)];
  if (a === '' || a === b || b.includes('{') || a.includes('{')) return null;
  const [before, after] = [splitTop(a, '|'), splitTop(b, '|')];
  if (before.every((member) => after.includes(member)))
    return { kind: 'type', why: 'the type has more members', effect: { on: 'complete choices', members: before } };
  return { kind: 'type', why: 'the type changed', effect: { on: 'reads' } };
}

/** Describes how a type changed for its users, or returns null if every use still fits. */
export function judgeType(old: PlacedDefinition, now: PlacedDefinition): Judgement | null {
  const [before, after] = [membersOf(old), membersOf(now)];
  const names = new Set(before.map(({ name }) => name));
  const added = after.filter(({ name }) => !names.has(name));
  if (takesFields(old) && takesFields(now)) return judgeFields(old, now);
  if (old.definition.kind === 'enum') {
    if (added.length === 0) return null;
    return {
      kind: 'type',
      why: `the member ${added[0]?.name ?? ''} was added`,
      effect: { on: 'complete choices', members: [...names] },
    };
  }
  const required = added.find((member) => isRequired(now, member));
  if (required !== undefined)
    return { kind: 'type', why: `the member ${required.name} is now required`, effect: { on: 'new values' } };
  if (old.version.language === 'go' && old.definition.kind === 'struct') {
    const order = (list: readonly Definition[]): string => list.map(({ name }) => name).join();
    if (order(before) !== order(after))
      return { kind: 'type', why: 'the list of members changed', effect: { on: 'values by position' } };
  }
  return before.length === 0 && after.length === 0 && old.definition.kind === 'type' ? judgeAlias(old, now) : null;
}
