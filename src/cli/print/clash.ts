import path from 'node:path';
import type { ClashPair, ClashReport, ClashSide, ClashVerdict } from '#protocol/clash.ts';
import { type ClashScreen, fromHere, oneLine, row, signOf, subjectOf, troubleLines } from './clash-pair.ts';
import { cutEnd, cutMiddle, padTo, textWidth } from './text-width.ts';

const count = (many: number, what: string, plural = `${what}s`): string => `${many} ${many === 1 ? what : plural}`;

const pairsOf = ({ pairs }: ClashReport, ...verdicts: readonly ClashVerdict[]): readonly ClashPair[] =>
  pairs.filter(({ verdict }) => verdicts.includes(verdict));

/** Joins names as in a sentence. */
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

function subjectText({ sides }: ClashReport): string {
  const bases = sides.filter(({ is_base: isBase }) => isBase).map(({ name }) => oneLine(name));
  const work = sides.filter(({ is_base: isBase }) => !isBase);
  const kinds: readonly (readonly [ClashSide['kind'], string, string])[] = [
    ['worktree', 'worktree', 'worktrees'],
    ['revision', 'branch', 'branches'],
    ['pull_request', 'pull request', 'pull requests'],
  ];
  const parts = kinds.flatMap(([kind, one, many]) => {
    const found = work.filter((side) => side.kind === kind).length;
    return found === 0 ? [] : [count(found, one, many)];
  });
  return parts.length === 0 && bases.length > 0 ? `Only ${listed(bases)}` : listed([...parts, ...bases]);
}

type Paint = (text: string) => string;

/** Returns the sums for the first line, worst first, each with its colour. */
function sums({ counts }: ClashReport, { paint }: ClashScreen): readonly (readonly [text: string, colour: Paint])[] {
  const clashes = counts.clash_proved + counts.clash_likely;
  const all: readonly (readonly [number, string, Paint])[] = [
    [counts.conflict, count(counts.conflict, 'conflict'), paint.red],
    [clashes, count(clashes, 'clash', 'clashes'), counts.clash_proved > 0 ? paint.red : paint.yellow],
    [counts.same_file, `${counts.same_file} same file`, paint.dim],
    [counts.not_compared, `${counts.not_compared} not compared`, paint.dim],
    [counts.no_clash_found, `${counts.no_clash_found} no clash found`, paint.dim],
    [counts.clear, `${counts.clear} clear`, paint.dim],
  ];
  return all.flatMap(([many, text, colour]) => (many > 0 ? [[text, colour] as const] : []));
}

function headLines(report: ClashReport, screen: ClashScreen): readonly string[] {
  const { paint, symbols, width } = screen;
  const parts = sums(report, screen);
  const separator = ` ${symbols.dot} `;
  const subject = subjectText(report);
  const gap = width - textWidth(subject) - textWidth(parts.map(([text]) => text).join(separator));
  const [left, right] = [paint.bold(subject), parts.map(([text, colour]) => colour(text)).join(paint.dim(separator))];
  if (right === '') return [left];
  return gap >= 2 ? [`${left}${' '.repeat(gap)}${right}`] : [left, right];
}

/** The number of pairs with trouble that are shown with their places. */
const MOST_SHOWN = 20;

/** The number of rows of one verdict from which they are folded. */
const FOLDED_FROM = 6;

function quietRow(
  verdict: ClashVerdict,
  pairs: readonly ClashPair[],
  more: string,
  screen: ClashScreen,
): readonly string[] {
  const [only] = pairs;
  if (only === undefined) return [];
  return row(verdict, pairs.length === 1 ? subjectOf(only.sides, screen) : count(pairs.length, 'pair'), more, screen);
}

function fewFiles(files: readonly string[], screen: ClashScreen, room: number): string {
  const names = files.map((file) => fromHere(file, screen));
  const [first = ''] = names;
  const all = names.join(', ');
  return textWidth(all) <= room || names.length === 1 ? all : `${first} and ${names.length - 1} more`;
}

function sameFileRows(report: ClashReport, screen: ClashScreen): readonly string[] {
  const pairs = pairsOf(report, 'same_file');
  if (pairs.length >= FOLDED_FROM) {
    const files = [...new Set(pairs.flatMap((pair) => pair.files))];
    return quietRow('same_file', pairs, `${fewFiles(files, screen, 20)}; git merges them`, screen);
  }
  const room = screen.width - 50;
  return pairs.flatMap((pair) => quietRow('same_file', [pair], fewFiles(pair.files, screen, room), screen));
}

/** Returns one row for each side that can't be compared, and one for each other reason. */
function notComparedRows(report: ClashReport, screen: ClashScreen): readonly string[] {
  const groups = new Map<string, ClashPair[]>();
  for (const pair of pairsOf(report, 'not_compared')) {
    const side = pair.sides.find((name) => (screen.sides.get(name)?.not_compared ?? null) !== null);
    const key = JSON.stringify([side ?? null, side === undefined ? pair.reason : screen.sides.get(side)?.not_compared]);
    groups.set(key, [...(groups.get(key) ?? []), pair]);
  }
  return [...groups].flatMap(([key, pairs]) => {
    const [side, why] = JSON.parse(key) as readonly [string | null, string | null];
    const reason = oneLine(why ?? 'unknown reason');
    if (side === null || pairs.length === 1) return quietRow('not_compared', pairs, reason, screen);
    const { symbols } = screen;
    const name = cutMiddle(oneLine(side), 18, symbols.ellipsis);
    return row('not_compared', `${name} ${symbols.cross} ${count(pairs.length, 'other')}`, reason, screen);
  });
}

function quietRows(report: ClashReport, screen: ClashScreen): readonly string[] {
  const [none, clear] = [pairsOf(report, 'no_clash_found'), pairsOf(report, 'clear')];
  const checkers = [...new Set(clear.flatMap(({ check }) => check?.checker ?? []))];
  const unproved = none.flatMap(({ check }) => (check === null ? [] : check.findings)).slice(0, 1);
  return [
    ...sameFileRows(report, screen),
    ...notComparedRows(report, screen),
    ...quietRow('no_clash_found', none, oneLine(unproved[0] ?? none[0]?.reason ?? ''), screen),
    ...quietRow('clear', clear, `${listed(checkers)} passes on each, merged`, screen),
  ];
}

function workText({ commits, uncommitted, not_compared: why, notes, locked }: ClashSide): string {
  if (why !== null) return why;
  const parts = [
    ...(commits !== null && commits > 0 ? [count(commits, 'commit')] : []),
    ...(uncommitted > 0 ? [`${count(uncommitted, 'file')} not committed`] : []),
    ...(locked ? ['locked'] : []),
    ...(notes.length > 0 ? ['see below'] : []),
  ];
  return parts.length === 0 ? 'no changes' : parts.join(', ');
}

function sideLines({ sides }: ClashReport, screen: ClashScreen): readonly string[] {
  const { width, paint, symbols, cwd } = screen;
  const shown = sides.filter((side) => !side.is_base || side.uncommitted > 0 || side.not_compared !== null);
  if (width < 60 || shown.length === 0) return [];
  const widest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map(textWidth)));
  const names = widest(
    shown.map(({ name }) => oneLine(name)),
    width >= 110 ? 50 : 22,
  );
  const works = widest(shown.map(workText), width >= 110 ? 50 : 32);
  return shown.map((side) => {
    const place = side.path === null ? 'no worktree' : oneLine(path.relative(cwd, side.path) || '.');
    const name = padTo(cutMiddle(oneLine(side.name), names, symbols.ellipsis), names);
    const work = padTo(cutEnd(oneLine(workText(side)), works, symbols.ellipsis), works);
    const kind = side.kind === 'pull_request' ? 'pull request' : place;
    return `  ${name}  ${paint.dim(work)}  ${paint.dim(kind)}`;
  });
}

const noteLines = ({ sides, notes }: ClashReport, { paint }: ClashScreen): readonly string[] => [
  ...notes.map((note) => paint.dim(`  ${oneLine(note)}`)),
  ...sides.flatMap((side) => side.notes.map((note) => paint.dim(`  ${oneLine(side.name)}: ${oneLine(note)}`))),
];

/** Returns the lines about a comparison: sums, pairs worst first, and the work of each side. */
export function clashLines(report: ClashReport, screen: ClashScreen): readonly string[] {
  const trouble = pairsOf(report, 'conflict', 'clash_proved', 'clash_likely');
  const shown = trouble.slice(0, MOST_SHOWN);
  const left = trouble.length - shown.length;
  const [sign, colour] = signOf('conflict', screen);
  const rest = left > 0 ? [colour(`${sign} ${left} more; robosmith clash --json lists all`)] : [];
  const blocks = [
    headLines(report, screen),
    ...shown.map((pair) => troubleLines(pair, screen)),
    rest,
    quietRows(report, screen),
    sideLines(report, screen),
    noteLines(report, screen),
  ];
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
