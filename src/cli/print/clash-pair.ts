import path from 'node:path';
import type { ClashPair, ClashPlace, ClashSide, ClashVerdict } from '#protocol/clash.ts';
import { harmless, type Style } from './style.ts';
import { cutEnd, cutMiddle, padTo, textWidth } from './text-width.ts';

/** Where and how wide a comparison is printed. */
export interface ClashScreen extends Style {
  readonly width: number;
  /** The folder in which the command was typed. */
  readonly cwd: string;
  /** The path from the top of its worktree to that folder; empty at the top. */
  readonly prefix: string;
  readonly sides: ReadonlyMap<string, ClashSide>;
}

/** Makes a name, path or line of a repository safe to print on one line. */
export const oneLine = (text: string): string => harmless(text).replace(/[\r\n\t]/g, '\ufffd');

export const WORDS: Readonly<Record<ClashVerdict, string>> = {
  conflict: 'conflict',
  clash_proved: 'clash, proved',
  clash_likely: 'clash, likely',
  same_file: 'same file',
  not_compared: 'not compared',
  no_clash_found: 'no clash found',
  clear: 'clear',
};

const NARROW = 60;
const WIDE = 110;

/** Returns the symbol of a verdict and its colour. */
export function signOf(verdict: ClashVerdict, { paint, symbols }: Style): readonly [string, (text: string) => string] {
  switch (verdict) {
    case 'conflict':
    case 'clash_proved':
      return [symbols.bad, paint.red];
    case 'clash_likely':
      return [symbols.warn, paint.yellow];
    case 'same_file':
      return ['~', paint.dim];
    case 'not_compared':
      return ['?', paint.dim];
    case 'no_clash_found':
      return ['-', paint.dim];
    case 'clear':
      return [symbols.ok, paint.green];
  }
}

/** Returns one row: symbol, subject, verdict, and the place or the reason. On a narrow screen each on its own line. */
export function row(
  verdict: ClashVerdict,
  subject: string,
  more: string,
  screen: ClashScreen,
  paintMore = screen.paint.dim,
): readonly string[] {
  const { width } = screen;
  const [sign, colour] = signOf(verdict, screen);
  const word = WORDS[verdict];
  if (width < NARROW)
    return [`${colour(sign)} ${subject}`, `  ${colour(word)}${more === '' ? '' : `  ${paintMore(more)}`}`];
  const column = width >= WIDE ? 56 : 34;
  const gap = 16;
  const padded = padTo(subject, column - 3);
  const isTrouble = verdict === 'conflict' || verdict === 'clash_proved' || verdict === 'clash_likely';
  const start = `${colour(sign)} ${isTrouble ? screen.paint.bold(padded) : padded} `;
  if (textWidth(more) <= width - column - gap)
    return [`${start}${colour(padTo(word, gap))}${paintMore(more)}`.trimEnd()];
  // What does not fit beside the verdict has a line of its own.
  return [start + colour(word), `    ${paintMore(more)}`];
}

/** Returns `A × B`, each name cut in the middle if both do not fit. */
export function subjectOf([one, other]: readonly [string, string], { width, symbols }: ClashScreen): string {
  const room = (width < NARROW ? width - 2 : width >= WIDE ? 53 : 31) - 3;
  const [a, b] = [oneLine(one), oneLine(other)];
  const spare = room - textWidth(a) - textWidth(b);
  if (spare >= 0) return `${a} ${symbols.cross} ${b}`;
  const half = Math.floor(room / 2);
  const first = Math.max(half, room - textWidth(b));
  const cutA = cutMiddle(a, first, symbols.ellipsis);
  return `${cutA} ${symbols.cross} ${cutMiddle(b, room - textWidth(cutA), symbols.ellipsis)}`;
}

/** Returns the short names of two sides: the ends of their branches, unless these are the same. */
function labelsOf([one, other]: readonly [string, string]): readonly [string, string] {
  const [a, b] = [one.split('/').at(-1) ?? one, other.split('/').at(-1) ?? other];
  return a === b ? [one, other] : [a, b];
}

/** Returns a path of the repository as it is typed in the folder of the user. */
export const fromHere = (file: string, { prefix }: ClashScreen): string =>
  oneLine(prefix === '' ? file : path.posix.relative(prefix, file) || file);

/** Returns the place of a line: on a wide screen the file in the worktree of its side. */
function placeText({ side, file, line }: ClashPlace, screen: ClashScreen): string {
  const folder = screen.sides.get(side)?.path ?? null;
  const isWide = screen.width >= WIDE && folder !== null;
  const name = isWide ? oneLine(path.relative(screen.cwd, path.join(folder, file))) : fromHere(file, screen);
  return line === null ? name : `${name}:${line}`;
}

function placeLines(
  places: readonly ClashPlace[],
  pair: ClashPair,
  screen: ClashScreen,
  hasPlace: boolean,
): readonly string[] {
  const { paint, symbols, width } = screen;
  const labels = labelsOf(pair.sides);
  const shown = places.map((place) => (hasPlace ? placeText(place, screen) : ''));
  const column = Math.min(Math.max(...shown.map(textWidth), 0), 60);
  return places.map((place, index) => {
    const label = padTo(cutMiddle(oneLine(labels[place.side === pair.sides[0] ? 0 : 1]), 9, symbols.ellipsis), 10);
    const where = hasPlace ? `${paint.cyan(padTo(shown[index] ?? '', column))}  ` : '';
    const used = 4 + 10 + (hasPlace ? column + 2 : 0);
    const remark = place.remark === null ? '' : `  ${oneLine(place.remark)}`;
    const room = Math.min(60, width - used - textWidth(remark));
    const code = cutEnd(place.text === '' ? '(no line)' : oneLine(place.text), Math.max(8, room), symbols.ellipsis);
    return `    ${paint.dim(label)}${where}${code}${paint.dim(remark)}`;
  });
}

/** Returns the places without repetitions: one change can break several uses. */
const distinct = (places: readonly ClashPlace[]): readonly ClashPlace[] => [
  ...new Map(places.map((place) => [`${place.side}\0${place.file}\0${place.line ?? ''}`, place])).values(),
];

/** The number of clashes of one pair that are shown. */
const MOST_CLASHES = 3;

/** Returns what a checker printed, without the place that the row already names. */
const messageOf = (finding: string): string =>
  finding.replace(/^[^\s:(][^:(]*[(:]\d+(?:[,:]\d+)*\)?:?\s*(?:-\s*)?/, '');

function firstPlace(pair: ClashPair, screen: ClashScreen): string {
  const [conflict] = pair.places;
  const [finding] = pair.check?.outcome === 'failed_together' ? pair.check.findings : [];
  const found = finding === undefined ? null : /^([^\s:(][^:(]*)[(:](\d+)/.exec(finding);
  const use = pair.clashes[0]?.places[1];
  if (found !== null) return `${fromHere(found[1] ?? '', screen)}:${found[2] ?? ''}`;
  const place = conflict ?? use;
  if (place !== undefined) return `${fromHere(place.file, screen)}${place.line === null ? '' : `:${place.line}`}`;
  return pair.files[0] === undefined ? '' : fromHere(pair.files[0], screen);
}

/** Returns the lines about a pair that is in conflict or clashes, with both places. */
export function troubleLines(pair: ClashPair, screen: ClashScreen): readonly string[] {
  const { paint, symbols, width } = screen;
  const more = pair.verdict === 'conflict' && pair.files.length > 1 ? ` and ${pair.files.length - 1} more` : '';
  const head = row(pair.verdict, subjectOf(pair.sides, screen), firstPlace(pair, screen) + more, screen, paint.cyan);
  if (width < NARROW) return head;
  const indented = (label: string, text: string): string =>
    `    ${paint.dim(padTo(cutEnd(oneLine(label), 9, symbols.ellipsis), 10))}${cutEnd(oneLine(text), width - 14, symbols.ellipsis)}`;
  const reason = pair.reason === null ? [] : [indented('', pair.reason).replace(/^ +/, '    ')];
  const failed = pair.check?.outcome === 'failed_together' ? pair.check.findings.slice(0, MOST_CLASHES) : [];
  const findings = failed.map((finding) => indented(pair.check?.checker ?? '', messageOf(finding)));
  const shown = pair.clashes.slice(0, MOST_CLASHES);
  const whys = findings.length > 0 ? [] : [...new Set(shown.map(({ name, why }) => `${name}: ${why}`))];
  const clashes = [
    ...placeLines(distinct(shown.flatMap((clash) => clash.places)), pair, screen, true),
    ...whys.map((why) => `    ${paint.dim(cutEnd(oneLine(why), width - 4, symbols.ellipsis))}`),
  ];
  const left = pair.clashes.length - shown.length;
  const rest = left > 0 ? [paint.dim(`    ${symbols.ellipsis} ${left} more`)] : [];
  return [...head, ...reason, ...findings, ...placeLines(pair.places, pair, screen, false), ...clashes, ...rest];
}
