/** One parameter of a function signature. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

interface Signature {
  readonly parameters: readonly Parameter[];
  readonly result: string;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if ('([{<'.includes(char)) depth += 1;
    else if (')]}'.includes(char) || (char === '>' && text[at - 1] !== '=' && text[at - 1] !== '-')) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function splitTop(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if ('([{<'.includes(char)) depth += 1;
    else if (')]}'.includes(char) || (char === '>' && text[at - 1] !== '=' && text[at - 1] !== '-')) depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

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
    type: type.replace(/\s+/gu, ''),
    optional: equals >= 0 || variadic || /\?\s*(?::|$)/u.test(declared),
  };
}

const RECEIVER = /^(?:self|&(?:mut )?(?:'\w+ )?self|mut self|cls)$/u;

/** Parses the parameters and result type of a signature; returns null if it has no parameter list. */
function readSignature(signature: string, name: string): Signature | null {
  const named = signature.indexOf(name);
  const open = signature.indexOf('(', named < 0 ? 0 : named + name.length);
  const close = open < 0 ? -1 : closing(signature, open);
  if (close < 0) return null;
  const parameters = splitTop(signature.slice(open + 1, close)).filter(
    (part) => !RECEIVER.test(part) && part !== '/' && part !== '*',
  );
  return { parameters: parameters.map(parameter), result: signature.slice(close + 1).replace(/\s+/gu, '') };
}

/** Describes how a changed signature breaks existing callers, or returns null if all existing calls still fit. */
export function incompatibility(before: string, after: string, name: string): string | null {
  const [a, b] = [readSignature(before, name), readSignature(after, name)];
  if (a === null || b === null) return null;
  if (b.parameters.length < a.parameters.length) return 'a parameter was removed';
  const added = b.parameters.slice(a.parameters.length);
  if (added.some(({ optional }) => !optional)) return 'a required parameter was added';
  for (const [index, old] of a.parameters.entries()) {
    const now = b.parameters[index];
    if (now === undefined) return 'a parameter was removed';
    if (old.optional && !now.optional) return `parameter ${now.name} is no longer optional`;
    if (old.type !== now.type && old.type !== '' && now.type !== '' && !widens(old.type, now.type))
      return `the type of parameter ${now.name} changed`;
    const elsewhere = b.parameters.findIndex((other) => other.name === old.name);
    if (elsewhere >= 0 && elsewhere !== index) return 'the order of parameters changed';
  }
  if (isAsync(before) !== isAsync(after)) return 'it changed between synchronous and asynchronous';
  return a.result !== b.result && a.result !== '' && b.result !== '' ? 'the type of the result changed' : null;
}

const isAsync = (signature: string): boolean => /\basync\b/u.test(signature.split('(')[0] ?? '');

/** Returns true if the union type `after` contains all members of `before`, as `string | number` contains `string`. */
const widens = (before: string, after: string): boolean => {
  const members = new Set(after.split('|'));
  return before.split('|').every((member) => members.has(member));
};
