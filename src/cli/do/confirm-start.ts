import { type Executable, forecastStart } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import { forecastText } from '../print/forecast.ts';
import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { showsAll } from '../trust/shows-all.ts';
import { commandText } from './command-argv.ts';
import { doerName, rightsOf } from './find-doer.ts';
import type { FoundSettings } from './find-settings.ts';
import { pressKey } from './press-key.ts';
import { type DoSettings, NAMES } from './workflow-text.ts';

/** A thing that will run, and what it may do or is for. */
type Row = readonly [name: string, about: string];

/** The entries of the list that the rows of the agent, the reviewers and the check stand for. */
const IN_WORDS: ReadonlySet<string> = new Set([
  ...['worker Worker:Agent', 'worker Worker:Reviewer', 'command "test"', `evidence of ${NAMES.work}`],
]);

const ABOUT: Readonly<Record<string, string>> = {
  'set-up of a worktree': 'prepares the worktree',
  'teardown of a worktree': 'before the worktree is removed',
};

/**
 * Returns what will run. The rows of the agent and the check are said in words; everything else that the project runs,
 * such as the commands that prepare a worktree, is listed as it is.
 */
function rowsOf(list: readonly Executable[], { doer, check, reviews }: DoSettings, from: string): readonly Row[] {
  const others = list.filter(({ what }) => !IN_WORDS.has(what));
  const reviewers = reviews === 1 ? '1 reviewer' : `${String(reviews)} reviewers`;
  return [
    [doerName(doer), rightsOf(doer)],
    ...(reviews === 0 ? [] : [[doerName(doer), `${reviewers}; may read files`] as const]),
    ...(check === null
      ? [['no check', 'nothing tests the change; --check "npm test" names a command'] as const]
      : [[commandText(check), `the check, ${from}`] as const]),
    ...others.map(({ what, command }): Row => [command, ABOUT[what] ?? what]),
  ];
}

function print(rows: readonly Row[], { count, lands }: Pick<Shown, 'count' | 'lands'>, io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  const shown = rows.map(([name, about]) => [showsAll(name), showsAll(about)] as const);
  const width = Math.min(30, Math.max(...shown.map(([name]) => name.length)));
  const where = count === 1 ? 'In a worktree of its own' : `${String(count)} times, each in a worktree of its own`;
  io.stderr.write(`${where}, this runs:\n`);
  for (const [name, about] of shown) io.stderr.write(`  ${paint.bold(name.padEnd(width))}   ${about}\n`);
  if (lands)
    io.stderr.write('What passes the check lands by itself, after the tests have passed on the merged files.\n');
}

/** Prints what earlier tasks of this project lead to expect; nothing if there was none. */
function printExpected(graph: Graph, root: string, io: CliIo): void {
  if (graph.entry === null) return;
  const { forecast } = forecastStart(root, graph, { node: graph.entry });
  if (forecast.pastRuns === 0) return;
  const { paint } = styleFor(io.stderr, io);
  const tasks = `${String(forecast.pastRuns)} earlier ${forecast.pastRuns === 1 ? 'task' : 'tasks'}`;
  io.stderr.write(`${paint.dim(`Expected after ${tasks}: ${forecastText(forecast)}.`)}\n`);
}

const YES = ['y', 'return', 'enter'];

async function askStart(io: CliIo): Promise<boolean> {
  if (!io.interactive) return false;
  const { paint } = styleFor(io.stderr, io);
  const show = (): void => io.stderr.write(`Start? ${paint.dim('[Y/n]')} `);
  const key = await pressKey([...YES, 'n'], show, new AbortController().signal);
  const isYes = key !== null && YES.includes(key);
  io.stderr.write(`${isYes ? 'y' : 'n'}\n\n`);
  return isYes;
}

interface Shown {
  readonly settings: DoSettings;
  readonly from: FoundSettings['from'];
  /** The number of worktrees in which it runs. */
  readonly count: number;
  /** True if what is ready is landed without another question. */
  readonly lands: boolean;
  /** True if the command line has said yes. */
  readonly isGiven: boolean;
}

/**
 * Shows what will run, and asks whether it may start. The answer is the trust for exactly this list: it is asked for
 * again when anything of it has changed. Returns the trusted list, or null.
 */
export async function confirmStart(
  graph: Graph,
  root: string,
  { settings, from, count, lands, isGiven }: Shown,
  io: CliIo,
): Promise<readonly Executable[] | null> {
  let isShown = false;
  const show = (list: readonly Executable[]): void => {
    isShown = true;
    print(rowsOf(list, settings, from), { count, lands }, io);
    if (count === 1) printExpected(graph, root, io);
  };
  const approved = await askTrust(graph, root, isGiven, io, (list) => {
    show(list);
    return askStart(io);
  });
  if (approved !== null && !isShown) {
    show(approved);
    io.stderr.write('\n');
  }
  return approved;
}
