import { type LandingFinding, UNNAMED_FAILURE } from '#protocol/landing.ts';
import type { LandingOrder, LandingPlan, LandingReport, LandingRun, ReturnedCar } from '#protocol/landing-report.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { harmless, type Style } from './style.ts';
import { cutEnd, cutMiddle, padTo, textWidth } from './text-width.ts';
import { durationText } from './time-text.ts';

interface LandingScreen extends Style {
  readonly width: number;
}

const line = (text: string): string => harmless(text).replace(/\s+/g, ' ').trim();

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

const short = (commit: string): string => commit.slice(0, 7);

/** Returns the spaces that put a text at the right edge, or behind the left one if there is no room. */
const gapBetween = (left: string, right: string, { width }: LandingScreen): string =>
  ' '.repeat(Math.max(2, width - textWidth(left) - textWidth(right)));

/** Returns the name of a test without its file, as people know it. */
const testName = (test: string): string =>
  test === UNNAMED_FAILURE ? 'the tests fail' : line(test.split(' > ').slice(1).join(' > ') || test);

function carLines({ cars }: Pick<LandingPlan, 'cars'>, screen: LandingScreen): readonly string[] {
  const { paint, symbols } = screen;
  const names = Math.min(
    Math.max(0, ...cars.map(({ name }) => textWidth(line(name)))),
    Math.max(20, screen.width - 40),
  );
  const plus = Math.max(0, ...cars.map(({ added }) => String(added).length + 1));
  const minus = Math.max(0, ...cars.map(({ removed }) => String(removed).length + 1));
  return cars.map(({ name, added, removed, files }, index) => {
    const number = paint.dim(String(index + 1).padStart(3));
    const shown = padTo(cutMiddle(line(name), names, symbols.ellipsis), names);
    const sums = `${paint.green(`+${added}`.padStart(plus))} ${paint.red(`${symbols.minus}${removed}`.padEnd(minus))}`;
    return `${number}  ${shown}   ${sums}   ${paint.dim(count(files, 'file'))}`;
  });
}

const leftLines = ({ left }: Pick<LandingPlan, 'left'>, { paint, symbols }: LandingScreen): readonly string[] =>
  left.map(({ name, why }) => paint.dim(`  ${symbols.skipped}  ${line(name)}   ${line(why)}`));

/** Returns the first lines of a landing: its cars in their order. `goesOn`: the number of the next test run. */
export function headLines(
  plan: Pick<LandingPlan, 'base' | 'cars' | 'left' | 'tests'>,
  goesOn: number | null,
  screen: LandingScreen,
): readonly string[] {
  const { paint } = screen;
  const what = plan.cars.length === 0 ? 'Nothing to land' : `Landing ${plan.cars.length}`;
  const [left, right] = [`${what} on ${line(plan.base)}`, `tests: ${line(plan.tests)}`];
  const title = `${paint.bold(left)}${gapBetween(left, right, screen)}${paint.dim(right)}`;
  const again = goesOn === null ? [] : [paint.dim(`  goes on at test run ${goesOn}`)];
  return [title, ...carLines(plan, screen), ...leftLines(plan, screen), ...again, ''];
}

/** Returns the numbers of the cars of a run; a dot stands for a car that was not in it. */
const trainText = (run: LandingRun, cars: readonly string[], { symbols }: LandingScreen): string =>
  run.cars.length === 0
    ? cars.map(() => symbols.dot).join(' ')
    : cars.map((name, index) => (run.cars.includes(name) ? String(index + 1) : symbols.dot)).join(' ');

/** Returns the row of a test run. */
export function runLine(run: LandingRun, cars: readonly string[], screen: LandingScreen): string {
  const { paint, symbols } = screen;
  const { failures, counts, ms } = run;
  const isGreen = failures.length === 0;
  const sign = isGreen ? paint.green(symbols.ok) : paint.red(symbols.bad);
  const all = counts === null ? null : counts.passed + counts.failed;
  const failed = counts === null || counts.failed === 0 ? null : counts.failed;
  const [first = ''] = failures;
  const fails = failed === null ? 'fails' : `${failed} of ${all ?? failed} ${failed === 1 ? 'fails' : 'fail'}`;
  const what = isGreen ? (all === null ? 'passes' : `${all} pass`) : fails;
  const train = trainText(run, cars, screen);
  const time = durationText(ms);
  const room = Math.max(0, screen.width - textWidth(train) - textWidth(what) - textWidth(time) - 11);
  const name = isGreen || first === UNNAMED_FAILURE ? '' : `: ${cutEnd(testName(first), room, symbols.ellipsis)}`;
  const gap = gapBetween(`x ${train}   ${what}${name}`, time, screen);
  return `${sign} ${train}   ${what}${paint.bold(name)}${gap}${paint.dim(time)}`;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** Returns the line of something that was found out. */
export function findingLine(found: LandingFinding, { paint }: LandingScreen): readonly string[] {
  switch (found.kind) {
    case 'cause': {
      const others = found.with.map(line);
      const partner =
        others.length === 0 ? '' : `; ${listed(others)} ${others.length === 1 ? 'is its partner' : 'are its partners'}`;
      return [`  ${paint.bold(line(found.car))} breaks it${partner}`];
    }
    case 'flaky':
      return [
        `  ${paint.yellow('flaky')}: ${found.tests.map(testName).join(', ')} (failed and passed on the same files)`,
      ];
    case 'on_base':
      return [`  ${paint.yellow('fails already without any branch')}: ${found.tests.map(testName).join(', ')}`];
    case 'base_moved':
      return ['  the base has moved meanwhile: built again'];
  }
}

/** Returns the commands that help with a car that came back. */
const onward = ({ session, why }: ReturnedCar): readonly (readonly [string, string])[] => {
  if (session === null) return [];
  if (why.kind === 'conflict')
    return [[`robosmith sessions update ${session}`, 'brings the new base in; its conflicts are listed']];
  if (why.kind === 'breaks')
    return [[`robosmith sessions update ${session}`, 'brings the new base into it, to repair it there']];
  return [];
};

/** Returns the next commands with what they do, at most two. */
export function landingNext(report: LandingReport): readonly (readonly [string, string])[] {
  if (report.is_stopped) return [['robosmith land', 'goes on where it was']];
  const [first] = report.back;
  const help = first === undefined ? [] : onward(first);
  const undecided = report.back.filter(({ why }) => why.kind === 'undecided').map(({ name }) => shellWord(name));
  const again =
    undecided.length > 0 ? [[`robosmith land ${undecided.join(' ')}`, 'tests the others again'] as const] : [];
  const undo =
    report.to === null ? [] : [['robosmith land --undo', `${report.base} back to ${short(report.from)}`] as const];
  return [...(help.length > 0 ? help : again).slice(0, 1), ...undo];
}

/** The number of lines of a failure's output that are shown. */
const MOST_LINES = 6;

function backLines(car: ReturnedCar, screen: LandingScreen): readonly string[] {
  const { paint, symbols, width } = screen;
  const { name, reason, why, places, output } = car;
  const test = why.kind === 'breaks' && why.test !== UNNAMED_FAILURE ? [`    ${testName(why.test)}`] : [];
  const files = why.kind === 'conflict' ? why.files.map((file) => `    ${paint.cyan(line(file))}`) : [];
  const shown = places.slice(0, 4).map((place) => {
    const at = `${line(place.file)}${place.line === null ? '' : `:${place.line}`}`;
    return `    ${paint.dim(cutMiddle(line(place.name), 20, symbols.ellipsis))}  ${paint.cyan(at)}  ${line(place.text)}`;
  });
  const lines =
    why.kind === 'breaks'
      ? output
          .split('\n')
          .slice(1)
          .filter((one) => one.trim() !== '')
      : [];
  const said = lines
    .slice(0, MOST_LINES)
    .map((one) => paint.dim(`    ${cutEnd(line(one), width - 4, symbols.ellipsis)}`));
  return [
    `${paint.red(symbols.bad)} ${paint.red('back')}     ${paint.bold(line(name))}   ${line(reason)}`,
    ...test.map((text) => cutEnd(text, width, symbols.ellipsis)),
    ...files.slice(0, MOST_LINES),
    ...shown,
    ...(shown.length > 0 ? [] : said),
  ];
}

function sumLine(report: LandingReport, screen: LandingScreen): string {
  const { paint, symbols } = screen;
  const { base, from, to, landed, back, runs, ms } = report;
  const moved =
    to === null ? `${line(base)} has not moved` : `${line(base)} ${short(from)} ${symbols.arrow} ${short(to)}`;
  const counts = [
    ...(landed.length > 0 ? [`${landed.length} landed`] : []),
    ...(back.length > 0 ? [`${back.length} back to you`] : []),
  ].join(', ');
  const right = `${count(runs.length, 'test run')}, ${durationText(ms)}`;
  const plain = `${moved}   ${counts}`;
  const gap = gapBetween(plain, right, screen);
  return `${paint.bold(moved)}   ${counts}${gap}${paint.dim(right)}`;
}

function nextLines(next: readonly (readonly [string, string])[], { paint }: LandingScreen): readonly string[] {
  const widest = Math.max(0, ...next.map(([command]) => command.length));
  return next.length === 0
    ? []
    : ['', 'Next:', ...next.map(([command, what]) => `  ${paint.bold(command.padEnd(widest))}  ${line(what)}`)];
}

/** Returns the lines at the end of a landing. */
export function reportLines(report: LandingReport, screen: LandingScreen): readonly string[] {
  const { paint, symbols } = screen;
  const { landed, back, flaky, on_base: onBase, notes } = report;
  if (report.is_stopped)
    return ['', `Stopped: ${line(report.base)} has not moved.`, ...nextLines(landingNext(report), screen)];
  const won =
    landed.length === 0 ? [] : [`${paint.green(symbols.ok)} ${paint.green('landed')}   ${landed.map(line).join(', ')}`];
  const remarks = [
    ...(flaky.length > 0 ? [`flaky, blamed on nobody: ${flaky.map(testName).join(', ')}`] : []),
    ...(onBase.length > 0
      ? [`fails on ${report.base} already, blamed on nobody: ${onBase.map(testName).join(', ')}`]
      : []),
  ];
  return [
    '',
    ...won,
    ...back.flatMap((car) => backLines(car, screen)),
    ...remarks.map((text) => `${paint.yellow(symbols.warn)} ${line(text)}`),
    ...notes.map((note) => paint.dim(`  ${line(note)}`)),
    '',
    sumLine(report, screen),
    ...nextLines(landingNext(report), screen),
  ];
}

/** Returns the lines about what a landing would do. */
export function planLines(plan: LandingPlan, { names, all }: LandingOrder, screen: LandingScreen): readonly string[] {
  const { paint, symbols } = screen;
  const conflicts = plan.conflicts.map(({ name, with: others, files }) => {
    const partner = others.length === 0 ? line(plan.base) : listed(others.map(line));
    return `${paint.red(symbols.bad)} ${line(name)}   conflict with ${partner}   ${paint.cyan(files.slice(0, 3).map(line).join(', '))}`;
  });
  const suspects = plan.suspects
    .slice(0, 6)
    .map(
      ([one, other]) =>
        `${paint.yellow(symbols.warn)} ${line(one)} ${symbols.cross} ${line(other)}   tested first if something fails`,
    );
  const usual = plan.usual === null ? [] : [paint.dim(`tests took ${durationText(plan.usual)} the last time`)];
  const command = ['robosmith', 'land', ...(all ? ['--all'] : names.map(shellWord))].join(' ');
  return [
    ...headLines(plan, null, screen),
    ...conflicts,
    ...suspects,
    ...usual,
    paint.dim('Nothing was changed.'),
    ...(plan.cars.length === 0
      ? []
      : nextLines([[command, `lands ${count(plan.cars.length, 'branch').replace('branchs', 'branches')}`]], screen)),
  ];
}
