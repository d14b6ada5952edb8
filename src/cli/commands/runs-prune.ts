import { projectRuns, prunePlan, type PruneResult, type PruneRules, type RunListing } from '#engine/index.ts';
import { readAge, readBytes } from '#protocol/read-amount.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { bytesText } from '#protocol/amount-text.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal } from '../print/refused.ts';
import { runLines } from '../print/runs.ts';
import { harmless } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { withClient } from '../run/with-client.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RunsPruneOptions {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly maxSize?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/**
 * Removes finished runs by age, count and size, together with their logged calls. Runs that can be resumed are never
 * removed.
 */
export const runsPrune = (options: RunsPruneOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const rules = rulesOf(options);
    // The runs are read before the removal, because the output describes them.
    const known = options.json === true ? [] : projectRuns(root);
    if (options.dryRun === true) return printPruned(prunePlan(root, rules), known, options, io);
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withClient(root, { io, warn }, (client) => client.call('run.prune', { rules }));
    return done.ok ? printPruned(done.value, known, options, io) : printRefusal(done.refusal, options, io);
  });

const wrong = (message: string): Error => usageError(message, ['robosmith runs prune --help']);

function rulesOf({ olderThan, keep, maxSize }: RunsPruneOptions): PruneRules {
  if (olderThan === undefined && keep === undefined && maxSize === undefined)
    throw wrong(
      'Choose the runs to remove with --older-than 30d, --keep 20 or --max-size 100MB. With several, a run must match all of them.',
    );
  return {
    ...(olderThan === undefined ? {} : { before: Date.now() - ageOf(olderThan) }),
    ...(keep === undefined ? {} : { keep: countOf(keep) }),
    ...(maxSize === undefined ? {} : { bytes: bytesOf(maxSize) }),
  };
}

function ageOf(text: string): number {
  const age = readAge(text);
  if (age === null) throw wrong(`"${text}" is not an age: write a number and m, h, d or w, for example 30d.`);
  return age;
}

function countOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw wrong(`"${text}" is not a number of runs.`);
  return Number(text);
}

function bytesOf(text: string): number {
  const bytes = readBytes(text);
  if (bytes === null) throw wrong(`"${text}" is not a size: write a number and KB, MB or GB, for example 100MB.`);
  return bytes;
}

const counted = (count: number, one: string, more: string): string => `${String(count)} ${count === 1 ? one : more}`;

/** Describes what is removed; '' if nothing is. */
function whatText({ runs, blobs, calls, leftovers }: PruneResult): string {
  const ofAgents = leftovers === 0 ? [] : [counted(leftovers, 'leftover of agents', 'leftovers of agents')];
  const ofModels = calls === 0 ? [] : [counted(calls, 'logged call', 'logged calls')];
  if (runs.length > 0) return [counted(runs.length, 'run', 'runs'), ...ofModels, ...ofAgents].join(' with ');
  // No runs are removed, only what earlier prunes left after a crash or because it was still in use.
  return [
    ...ofAgents,
    ...(blobs === 0 ? [] : [counted(blobs, 'stored value that no run needs', 'stored values that no run needs')]),
  ].join(' and ');
}

function printPruned(pruned: PruneResult, known: readonly RunListing[], options: RunsPruneOptions, io: CliIo): number {
  const { runs, blobs, calls, leftovers, freed } = pruned;
  const dry = options.dryRun === true;
  if (options.json === true) {
    printJson({ ok: true, dry_run: dry, runs, blobs, calls, leftovers, freed }, io.stdout);
    return 0;
  }
  const gone = known.filter(({ run }) => runs.includes(run));
  if (gone.length > 0) io.stdout.write(`${runLines(gone, new Map(), io).join('\n')}\n\n`);
  const text = whatText(pruned);
  const done = text.startsWith('1 ') && !text.includes(' and ') ? 'was removed' : 'were removed';
  const size = freed > 0 ? `, ${bytesText(freed)} ${dry ? 'would be' : 'are'} free` : '';
  io.stdout.write(text === '' ? 'Nothing to remove.\n' : `${text} ${dry ? 'would be removed' : done}${size}.\n`);
  const stay = keptForDamaged(known);
  if (stay !== null) io.stdout.write(`${stay}\n`);
  const next = [
    ...(dry && text !== '' ? [`robosmith runs prune ${retyped(options)}`] : []),
    ...(stay === null ? [] : ['robosmith doctor']),
  ];
  if (next.length > 0) printNext(next, io);
  return 0;
}

/** Explains which values were kept because of damaged runs; null if no run is damaged. */
function keptForDamaged(known: readonly RunListing[]): string | null {
  const damaged = known.filter(({ kind }) => kind === 'damaged').map(({ run }) => run);
  if (damaged.length === 0) return null;
  const are = damaged.length === 1 ? 'is' : 'are';
  return `Stored values were kept: ${damaged.join(', ')} ${are} damaged and may refer to them.`;
}

const retyped = ({ olderThan, keep, maxSize }: RunsPruneOptions): string =>
  [
    ...(olderThan === undefined ? [] : ['--older-than', olderThan]),
    ...(keep === undefined ? [] : ['--keep', keep]),
    ...(maxSize === undefined ? [] : ['--max-size', maxSize]),
  ]
    .map(shellWord)
    .join(' ');
