import { whyIncomplete } from '#workers/answer/omission.ts';
import { readDocument } from '#workers/answer/read-document.ts';
import { readFiles } from '#workers/answer/read-files.ts';
import { plannedPaths } from '#workers/planned-paths.ts';

/** Repeated texts that could match several parts of the same pattern. */
const UNITS = [
  ...[' ', '\t', 'x ', '- ', '> ', '#', '=', '-', 'a.', 'a/', '`', '"', '(', ' (a)', ')', ']', '<a', '</', '…', '! '],
  ...['A ', 'A, ', 'file ', ' : ', 'the ', 'new ', 'path="', 'title = ', 'line 1', '1:1:', '* ', '_', '\\', '//'],
  ...['\u2028', '\r'],
];

/** Pairs of texts that come before and after a long line of one repeated unit. */
const LINES: readonly (readonly [string, string])[] = [
  ...([
    ['', ''],
    ['', 'x y'],
    ['<path>', 'x'],
    ['<path>x', '<'],
    ['<file path="', '"'],
    ['<file a', '>'],
  ] as const),
  ...([
    ['<parameter name="path">', 'x'],
    ['<parameter name="path"', '>x'],
    ['// a', 'x'],
    ['# ', 'x y'],
  ] as const),
  ...([
    ['=== ', ' ==='],
    ['a', 'b'],
    ['ts line', 'x'],
    ['**', '*'],
    ['`a.ts`', '!'],
    ['- a.ts', '('],
    ['a: ', ' '],
  ] as const),
];

const ofLength = (length: number, [before, after]: readonly [string, string], unit: string): string =>
  before + unit.repeat(Math.floor((length - before.length - after.length) / unit.length)) + after;

const each = (length: number): readonly string[] =>
  LINES.flatMap((line) => UNITS.map((unit) => ofLength(length, line, unit)));

const READ: Readonly<Record<string, (line: string) => void>> = {
  answer: (line) => readFiles(`Here:\n${line}\nx\n`, 'a.ts'),
  document: (line) => readDocument(`${line}\n${line}\n`, 'a.md'),
  'name before': (line) => readFiles(`${line}\n\`\`\`ts\n${line}\nx\n\`\`\`\n`, null),
  info: (line) => readFiles(`\`\`\`ts ${line}\nx\n\`\`\`\n`, null),
  rewrite: (line) =>
    whyIncomplete({ path: 'a', announced: 'stated', content: `${line}\n`.repeat(20) }, 'a\nb\nc\nd\n', true),
  plan: (line) => plannedPaths(line),
};

const [name = '', length = ''] = process.argv.slice(2);
for (const line of each(Number(length))) READ[name]?.(line);
console.log(name in READ ? 'read' : 'nothing');
