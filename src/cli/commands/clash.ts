import { type ClashCheck, openClashCheck, provePairs, pullRequestSides, reportOf } from '#clash/index.ts';
import { trustedCheck } from '#engine/index.ts';
import { CLASH_VERDICTS, type ClashReport, type ClashVerdict } from '#protocol/clash.ts';
import { clashLines } from '../print/clash.ts';
import type { ClashScreen } from '../print/clash-pair.ts';
import { printJson } from '../print/json.ts';
import { printRefused } from '../print/refused.ts';
import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { createLiveLine } from '../clash/live-line.ts';
import { watchClashes } from '../clash/watch-clashes.ts';

export interface ClashOptions {
  readonly base?: string;
  readonly branches?: readonly string[];
  readonly pullRequests?: true;
  readonly prove?: true;
  readonly limit?: string;
  readonly failOn?: string;
  readonly watch?: true;
  readonly json?: true;
}

/** The verdicts that end the command with exit code 1, by the value of `--fail-on`. */
const FAIL_ON: Readonly<Record<string, readonly ClashVerdict[]>> = {
  conflict: ['conflict'],
  clash: ['conflict', 'clash_proved', 'clash_likely'],
  'same-file': ['conflict', 'clash_proved', 'clash_likely', 'same_file'],
};

/** The command of the manifest does not run the code of pull requests, which other people write. */
const NO_CHECK = { argv: null, notes: [] } as const;

const NOT_COMPARED = 2;
const INTERRUPTED = 130;
const DEFAULT_LIMIT_MINUTES = 10;

function checkOptions(names: readonly string[], { failOn = 'clash', watch, json, limit, prove }: ClashOptions): void {
  const help = ['robosmith clash --help'];
  if (FAIL_ON[failOn] === undefined)
    throw usageError(`--fail-on ${failOn}: give one of ${Object.keys(FAIL_ON).join(', ')}`, help);
  if (names.length > 2) throw usageError(`Give at most two names, not ${names.length}.`, help);
  if (watch === true && json === true)
    throw usageError('--json prints one document, so it goes without --watch.', help);
  if (limit !== undefined && !/^[1-9]\d{0,3}$/.test(limit))
    throw usageError(`--limit ${limit}: give a whole number of minutes, from 1 to 9999`, help);
  if (limit !== undefined && prove !== true) throw usageError('--limit goes with --prove.', help);
}

/** Returns the exit code: 1 for what `--fail-on` names, 2 if something could not be compared. */
function exitCode({ counts }: ClashReport, failOn: string): number {
  const isFound = (FAIL_ON[failOn] ?? CLASH_VERDICTS).some((verdict) => counts[verdict] > 0);
  return isFound ? 1 : counts.not_compared > 0 ? NOT_COMPARED : 0;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Returns remarks about the whole comparison. */
const notesOf = ({ repository }: ClashCheck): readonly string[] =>
  repository.merges === 'scratch'
    ? [`git ${repository.version} merges without renames here; git 2.38 or newer compares more exactly.`]
    : [];

async function screenOf(report: ClashReport, check: ClashCheck, io: CliIo): Promise<ClashScreen> {
  return {
    ...styleFor(io.stdout, io),
    width: io.stdout.isTerminal ? io.stdout.columns() : 80,
    cwd: io.cwd,
    prefix: await check.prefix(),
    sides: new Map(report.sides.map((side) => [side.name, side])),
  };
}

async function compareOnce(
  check: ClashCheck,
  changed: ReadonlySet<string> | null,
  options: ClashOptions,
  io: CliIo,
): Promise<ClashReport> {
  const live = createLiveLine(io);
  const textual = await check.compare(changed);
  if ('kind' in textual) throw usageError(sentence(textual.message), []);
  const analysed = await check.analyse(textual, (done, all) => live.show(`analysis  ${done} of ${all} pairs`));
  live.clear();
  if (options.prove !== true) return reportOf(analysed, notesOf(check));
  const minutes = Number(options.limit ?? DEFAULT_LIMIT_MINUTES);
  const isForeign = options.pullRequests === true;
  const own = isForeign ? NO_CHECK : await trustedCheck(check.repository.folder, io.env);
  const { comparison, notes } = await provePairs(check, analysed, {
    environment: io.env,
    limitMs: minutes * 60_000,
    ownCheck: own.argv,
    mayRunCode: !isForeign,
    onProgress: ({ checker, done, all, seconds }) =>
      live.show(`${checker}  ${done} of ${all} pairs  ${seconds} s of at most ${minutes * 60} s`),
  });
  live.clear();
  return reportOf(comparison, [...notesOf(check), ...own.notes, ...notes]);
}

/** Compares the worktrees of the repository with each other and with their bases. */
export async function clash(names: readonly string[], options: ClashOptions, io: CliIo): Promise<number> {
  checkOptions(names, options);
  const opened = await openClashCheck(io.cwd, io.env, async (repository) => ({
    base: options.base ?? null,
    branches: options.branches ?? [],
    pullRequests: options.pullRequests === true ? await pullRequestSides(repository) : [],
    only: names,
  }));
  if ('kind' in opened) {
    const problem = { code: 'precondition_failed' as const, message: sentence(opened.message), next: [] };
    return printRefused(problem, NOT_COMPARED, options, io);
  }
  const interrupted = new AbortController();
  const ended = new Promise<number>((resolve) =>
    interrupted.signal.addEventListener('abort', () => resolve(INTERRUPTED)),
  );
  const release = io.onInterrupt(() => interrupted.abort());
  const compare = (changed: ReadonlySet<string> | null): Promise<ClashReport> =>
    compareOnce(opened, changed, options, io);
  const print = async (report: ClashReport): Promise<number> => {
    if (options.json === true) printJson(report, io.stdout);
    else io.stdout.write(`${clashLines(report, await screenOf(report, opened, io)).join('\n')}\n`);
    return exitCode(report, options.failOn ?? 'clash');
  };
  const parts = { check: opened, compare, print, interrupted: interrupted.signal };
  const work = options.watch === true ? watchClashes(parts, io) : compare(null).then(print);
  try {
    return await (options.watch === true ? work : Promise.race([work, ended]));
  } finally {
    release();
    work.catch(() => undefined);
    await opened.close();
  }
}
