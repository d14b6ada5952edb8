/** The state of a recursive-descent parser for sums and products of numbers. */
interface Reading {
  readonly tokens: readonly string[];
  at: number;
}

const MAX_TOKENS = 100;

function atom(reading: Reading): number {
  const token = reading.tokens[reading.at] ?? '';
  reading.at += 1;
  if (token === '-') return -atom(reading);
  if (token === '(') {
    const value = sum(reading);
    reading.at += 1;
    return value;
  }
  return Number(token.replaceAll('_', ''));
}

function product(reading: Reading): number {
  let value = atom(reading);
  for (let sign = reading.tokens[reading.at]; sign === '*' || sign === '/'; sign = reading.tokens[reading.at]) {
    reading.at += 1;
    const right = atom(reading);
    value = sign === '*' ? value * right : value / right;
  }
  return value;
}

function sum(reading: Reading): number {
  let value = product(reading);
  for (let sign = reading.tokens[reading.at]; sign === '+' || sign === '-'; sign = reading.tokens[reading.at]) {
    reading.at += 1;
    const right = product(reading);
    value = sign === '+' ? value + right : value - right;
  }
  return value;
}

/** Returns the number that a text such as `60 * 60` or `0x40` denotes, or null. */
function numberOf(text: string): number | null {
  if (!/^[\d\s_.xXa-fA-F+*/()-]+$/u.test(text)) return null;
  const tokens = text.match(/0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?|[-+*/()]/gu) ?? [];
  if (tokens.length > MAX_TOKENS || tokens.join('') !== text.replace(/\s/gu, '')) return null;
  const reading = { tokens, at: 0 };
  const value = sum(reading);
  return Number.isFinite(value) && reading.at === tokens.length ? value : null;
}

/** The declared type and the value of a constant, each as text; empty where there is none. */
interface DeclaredValue {
  readonly type: string;
  readonly value: string;
}

/** Parses declarations such as `LIMIT: number = 64` and `Limit int = 64`. */
export function readDeclaredValue(declaration: string, name: string): DeclaredValue {
  const text = declaration.replace(/\/\/.*$|(?<=\s)#.*$/gmu, '').replace(/\s+/gu, ' ');
  const start = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'u').exec(text);
  const rest = start === null ? text : text.slice(start.index + name.length);
  const equals = /(?<![=!<>])=(?![=>])/u.exec(rest)?.index ?? -1;
  const clean = (part: string): string =>
    part
      .trim()
      .replace(/^:\s*/u, '')
      .replace(/[;,]\s*$/u, '')
      .trim();
  if (equals < 0) return { type: clean(rest), value: '' };
  return { type: clean(rest.slice(0, equals)), value: clean(rest.slice(equals + 1)) };
}

/** True if two values have the same text or are equal numbers. */
export function sameValue(a: string, b: string): boolean {
  const bare = (text: string): string => text.replace(/\s+/gu, '').replace(/'([^'"\\]*)'/gu, '"$1"');
  if (bare(a) === bare(b)) return true;
  const [left, right] = [numberOf(a), numberOf(b)];
  return left !== null && left === right;
}
