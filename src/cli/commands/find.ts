import { findWork, type WorkQuery } from '#engine/authoring.ts';
import { readAge } from '#protocol/read-amount.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printFound } from '../print/found-work.ts';
import { printJson } from '../print/json.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface FindOptions {
  readonly outcome?: string;
  readonly block?: string;
  readonly model?: string;
  readonly run?: string;
  readonly costAbove?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly json?: true;
}

const HELP = ['robosmith find --help'];

/** The number of results without `--limit`. */
const MOST = 30;

function costOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\$?\d{1,6}(?:\.\d{1,6})?$/.test(text))
    throw usageError(`--cost-above takes an amount in US dollars, such as 0.50, not "${text}".`, HELP);
  return Math.round(Number(text.replace('$', '')) * 1_000_000);
}

function sinceOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const age = readAge(text);
  if (age !== null) return now - age;
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00`).getTime() : Number.NaN;
  if (Number.isNaN(date))
    throw usageError(`--since takes an age, for example 12h or 7d, or a date such as 2026-11-30, not "${text}".`, HELP);
  return date;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return MOST;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usageError(`"${text}" is not a number of results.`, HELP);
  return Number(text);
}

function queryOf(text: string | undefined, options: FindOptions): WorkQuery {
  const { outcome, block, model, run, costAbove, since } = options;
  const query: WorkQuery = {
    text: text === undefined || text.trim() === '' ? null : text.trim(),
    outcome: outcome ?? null,
    block: block ?? null,
    model: model ?? null,
    run: run ?? null,
    costAbove: costOf(costAbove),
    since: sinceOf(since, Date.now()),
  };
  if (Object.values(query).every((value) => value === null))
    throw usageError('Say what to find: a text, --outcome, --block, --model, --run, --cost-above or --since.', HELP);
  if (query.text !== null && !/[\p{L}\p{N}_]/u.test(query.text))
    throw usageError('The text to find needs a letter or a digit.', HELP);
  return query;
}

/** Searches the runs and the logged calls of the project, newest first. Exit code 1: nothing was found. */
export const find = (text: string | undefined, options: FindOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const search = findWork(root, queryOf(text, options), limitOf(options.limit), Date.now());
    if (options.json === true) printJson({ ok: true, ...search }, io.stdout);
    else printFound(search, io);
    return search.found.length === 0 ? 1 : 0;
  });
