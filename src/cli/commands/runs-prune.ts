import { prunePlan, type Pruned, type PruneRules } from '#engine/index.ts';
import type { CliIo } from '../cli-io.ts';
import { bytesText } from '../print/bytes.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal } from '../print/refused.ts';
import { styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { withEngine } from '../run/with-engine.ts';
import { usageError } from '../usage-error.ts';

export interface RunsPruneOptions {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly maxSize?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Removes runs that are over, by age, count and size, and what they left in the call log. What can still go on is never removed. */
export const runsPrune = (options: RunsPruneOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const rules = rulesOf(options);
    if (options.dryRun === true) return tell(prunePlan(root, rules), options, io);
    const warn = (message: string): void => io.stderr.write(`${message}\n`);
    const done = await withEngine(root, warn, async (engine) => {
      const pruned = engine.prune(rules);
      await engine.forgetSnapshots(pruned.runs);
      return pruned;
    });
    return done.ok ? tell(done.value, options, io) : printRefusal(done.refusal, options, io);
  });

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const UNIT_BYTES: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

const wrong = (message: string): Error => usageError(message, ['robosmith runs prune --help']);

function rulesOf({ olderThan, keep, maxSize }: RunsPruneOptions): PruneRules {
  if (olderThan === undefined && keep === undefined && maxSize === undefined)
    throw wrong(
      'Say which runs may go: --older-than 30d, --keep 20 or --max-size 100MB; those that match all that is given.',
    );
  return {
    ...(olderThan === undefined ? {} : { before: Date.now() - ageOf(olderThan) }),
    ...(keep === undefined ? {} : { keep: countOf(keep) }),
    ...(maxSize === undefined ? {} : { bytes: bytesOf(maxSize) }),
  };
}

function ageOf(text: string): number {
  const [, number, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw wrong(`"${text}" is no age: write a number and m, h, d or w, for example 30d.`);
  return Number(number) * (UNIT_MS[unit] ?? 0);
}

function countOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw wrong(`"${text}" is no number of runs.`);
  return Number(text);
}

function bytesOf(text: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([KMG]?)B?$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw wrong(`"${text}" is no size: write a number and KB, MB or GB, for example 100MB.`);
  return Math.floor(Number(number) * (UNIT_BYTES[unit.toUpperCase()] ?? 1));
}

function tell({ runs, blobs, calls, leftovers, freed }: Pruned, options: RunsPruneOptions, io: CliIo): number {
  const dry = options.dryRun === true;
  if (options.json === true) {
    printJson({ ok: true, dry_run: dry, runs, blobs, calls, leftovers, freed }, io.stdout);
    return 0;
  }
  const { paint, symbols } = styleFor(io.stdout, io);
  for (const run of runs) io.stdout.write(`${paint.dim(symbols.skipped)} ${run}\n`);
  const withCalls = calls === 0 ? '' : ` with ${calls === 1 ? '1 logged call' : `${calls} logged calls`} of models`;
  const ofAgents =
    leftovers === 0 ? '' : ` with ${leftovers === 1 ? '1 leftover' : `${leftovers} leftovers`} of agents`;
  const count = `${runs.length === 1 ? '1 run' : `${runs.length} runs`}${withCalls}${ofAgents}`;
  const what = dry ? 'would go' : runs.length === 1 && leftovers === 0 ? 'was removed' : 'were removed';
  const size = freed > 0 ? `, ${bytesText(freed)} ${dry ? 'would be' : 'are'} free` : '';
  const any = runs.length + blobs + leftovers > 0;
  io.stdout.write(!any ? 'Nothing to remove.\n' : `${count} ${what}${size}.\n`);
  if (dry && any) printNext([`robosmith runs prune ${retyped(options)}`], io);
  return 0;
}

const retyped = ({ olderThan, keep, maxSize }: RunsPruneOptions): string =>
  [
    ...(olderThan === undefined ? [] : ['--older-than', olderThan]),
    ...(keep === undefined ? [] : ['--keep', keep]),
    ...(maxSize === undefined ? [] : ['--max-size', maxSize]),
  ].join(' ');
