/** Maximum length, in characters, of a line that may be a signal. A longer line is content. */
const LONGEST = 200;

/** Marks that models put around a signal: bold, italics, code and quotes. */
const PAIRS: readonly string[] = ['**', '__', '``', '""', "''", '“”', '‘’', '„“', '«»'];

const SIGNAL = /^SIGNAL:[A-Z0-9_]+$/;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])[ \t]+/;
/** Matches the indentation of a Markdown code block. A signal in such a line is quoted text. */
const CODE = /^(?: {4}| {0,3}\t)/;

const MOST_MARKS = 8;

function undecorated(text: string): string {
  let rest = text;
  for (let mark = 0; mark < MOST_MARKS; mark += 1) {
    const open = rest.endsWith('.') ? rest.slice(0, -1) : rest;
    const pair = PAIRS.find((marks) => open.startsWith(marks.charAt(0)) && open.endsWith(marks.charAt(1)));
    if (pair === undefined) return open;
    rest = open.slice(1, -1);
  }
  return rest;
}

/** Returns the signal of a line that holds nothing else, plain or decorated, or null. */
function signalOfLine(line: string): string | null {
  if (line.length > LONGEST || CODE.test(line)) return null;
  const text = undecorated(line.trim().replace(BULLET, ''));
  return SIGNAL.test(text) ? text : null;
}

const isBlank = (line: string): boolean => line.trim() === '';

/** Returns the signal of an answer, which is its last non-empty line, or null. Signals elsewhere are quoted text. */
export function signalOfAnswer(text: string): string | null {
  return signalOfLine(text.split('\n').findLast((line) => !isBlank(line)) ?? '');
}

/** Returns a text without its signal and the empty lines around it. */
export function withoutSignal(text: string): string {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => !isBlank(line));
  return (signalOfLine(lines[at] ?? '') === null ? text : lines.slice(0, at).join('\n')).trim();
}

/** Replaces the signal of an answer by its plain form, so that readers of its content recognise the line. */
export function withPlainSignal(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line) => !isBlank(line));
  const signal = signalOfLine(lines[at] ?? '');
  return signal === null ? lines : lines.with(at, signal);
}
