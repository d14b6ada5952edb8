import type { KeyListing, ListedKey } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from './json.ts';
import type { KeysChanged, UserKey } from './json-documents.ts';
import { printNext } from './problem.ts';
import type { JsonOption } from './refused.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import { whenText } from './time-text.ts';

export const sourceText = ({ from, keyless }: Pick<ListedKey, 'from' | 'keyless'>): string => {
  if (from.kind === 'environment') return from.variable;
  return keyless === true ? 'keys.json' : 'keychain';
};

/** Returns a key's entry in `--json` output, without its secret. */
export const keyDocument = (key: ListedKey): UserKey => ({
  alias: key.alias,
  provider: key.provider,
  base_url: key.baseUrl,
  account: key.account,
  pool: key.pool,
  from: key.from,
  tier: key.tier,
  disabled: key.disabled === true,
  has_secret: key.hasSecret,
  keyless: key.keyless === true,
  state: key.report?.state ?? null,
  until: key.report?.until ?? null,
  why: key.report?.why ?? null,
  said: key.report?.said ?? '',
});

const COLUMNS: readonly Column[] = [
  { heading: 'key' },
  { heading: 'provider', least: 12, drop: 4 },
  { heading: 'from', least: 12, drop: 2 },
  { heading: 'order', right: true, drop: 1 },
  { heading: 'state' },
  { heading: 'said', least: 10, drop: 3 },
];

function stateOf({ report, hasSecret, keyless, disabled }: ListedKey): string {
  if (disabled === true) return 'disabled';
  if (!hasSecret && keyless !== true) return 'no secret';
  if (report === null) return '';
  const until = report.until === null ? '' : ` until ${whenText(report.until)}`;
  return `${report.state}${until}`;
}

function rowOf(key: ListedKey, { paint }: Style): readonly Cell[] {
  const state = stateOf(key);
  const isGood = state === '' || state === 'healthy' || state === 'half_open';
  const groups = [key.account, key.pool].filter((one) => one !== null).join(', ');
  return [
    { text: harmless(key.alias), paint: paint.bold },
    { text: harmless(`${key.baseUrl ?? key.provider}${groups === '' ? '' : ` (${groups})`}`) },
    { text: harmless(sourceText(key)) },
    { text: key.tier === null ? '' : String(key.tier) },
    { text: state, paint: isGood ? paint.green : paint.yellow },
    { text: harmless(key.report?.said ?? '').replaceAll('\n', ' '), paint: paint.dim },
  ];
}

export function printKeyProblems(problems: readonly string[], io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const problem of problems) io.stderr.write(`${paint.yellow(symbols.warn)} ${harmless(problem)}\n`);
}

export function printKeys({ keys, problems }: KeyListing, io: CliIo): void {
  printKeyProblems(problems, io);
  if (keys.length === 0) {
    io.stdout.write('There are no keys for models yet.\n');
    printNext(['robosmith keys add openai', 'robosmith keys add --help'], io);
    return;
  }
  const style = styleFor(io.stdout, io);
  const room = roomOn(io.stdout);
  const rows = keys.map((key) => rowOf(key, style));
  io.stdout.write(`${tableLines(COLUMNS, rows, room, style.paint.dim).join('\n')}\n`);
}

/** Prints which keys were changed, and the next commands. */
export function printKeyChange(
  done: KeysChanged['done'],
  aliases: readonly string[],
  next: readonly string[],
  { json }: JsonOption,
  io: CliIo,
): void {
  if (json === true) return printJson({ ok: true, done, keys: aliases }, io.stdout);
  const { paint, symbols } = styleFor(io.stdout, io);
  const what = aliases.length === 0 ? 'All keys take turns' : `${aliases.join(', ')}: ${done}`;
  io.stdout.write(`${paint.green(symbols.ok)} ${harmless(what)}.\n`);
  printNext(next, io);
}
