import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isList, isObject, readList } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { rightWord } from '../1-parse/wrong-words.ts';
import { type ParsedAction, parseAction } from './action-grammar.ts';
import { fullCondition, fullSignal } from './full-names.ts';
import type { ResolvedRow } from './resolved-manifest.ts';
import { hasVerdict, readWay, verdictName, WORDS } from './short-ways.ts';

/** The block that short rows belong to. */
export interface RowsOwner {
  readonly name: string;
  readonly node: string;
  /** The names of the node's blocks. */
  readonly siblings: ReadonlySet<string>;
}

const NO_SIBLINGS: ReadonlySet<string> = new Set();

interface Entry {
  readonly signal: string;
  readonly value: JsonValue | undefined;
  /** The place of the whole entry. */
  readonly spot: Spot;
}

function entriesOf(rows: JsonObject): readonly Entry[] {
  return Object.keys(rows).flatMap((key): readonly Entry[] => {
    const value = rows[key];
    const signal = fullSignal(key);
    if (!isList(value)) return [{ signal, value, spot: { container: rows, member: key } }];
    return value.map((entry, index) => ({ signal, value: entry, spot: { container: value, member: index } }));
  });
}

function reportTwice(rows: JsonObject, { report, related }: Diagnose): void {
  const seen = new Map<string, string>();
  for (const key of Object.keys(rows)) {
    const signal = fullSignal(key);
    const earlier = seen.get(signal);
    if (earlier === undefined) seen.set(signal, key);
    else {
      const first = related({ container: rows, member: earlier, side: 'key' }, 'The first entry is here.');
      report('RS2055', { container: rows, member: key, side: 'key' }, { signal }, { related: [first] });
    }
  }
}

/** Returns the places of the names in a short row that differ from the place of its action. */
function placesOf(value: JsonValue | undefined): Pick<ResolvedRow, 'addressSpot' | 'branchSpots'> {
  if (!isObject(value)) return {};
  const branches = readList(value, 'all') ?? readList(value, 'any');
  return {
    ...(has(value, 'call') && has(value, 'to') ? { addressSpot: { container: value, member: 'to' } } : {}),
    ...(branches === null ? {} : { branchSpots: branches.map((_, member) => ({ container: branches, member })) }),
  };
}

/** Returns the word of `WORDS` that a text probably means, or null. */
export const nearWord = (text: string, { nearest }: Diagnose): string | null =>
  nearest(text, Object.keys(WORDS)) ?? rightWord('target', text)?.near ?? null;

/** Returns the text of a row as its author wrote it, for messages. */
const shownText = (value: JsonValue | undefined, action: string): Pick<ResolvedRow, 'shown'> =>
  typeof value === 'string' && value !== action ? { shown: value } : {};

function toRow(entry: Entry, owner: RowsOwner | null, verdict: string | null, diagnose: Diagnose): ResolvedRow | null {
  const { signal, value, spot } = entry;
  const node = owner?.node ?? null;
  const way = readWay(value, { node, siblings: owner?.siblings ?? NO_SIBLINGS, verdict });
  if (!way.ok) {
    if ('problem' in way) diagnose.report('RS2069', spot, { signal, problem: way.problem });
    if ('ambiguous' in way) reportWord(way.ambiguous, spot, diagnose);
    return null;
  }
  const { action: text, key } = way;
  const written = isObject(value) ? value : null;
  const at = written === null || key === null ? spot : { container: written, member: key };
  const parsed = parseAction(text, node);
  const shown = shownText(value, text);
  if (!parsed.ok) {
    const action = shown.shown ?? text;
    const near = parsed.near ?? (shown.shown === undefined ? null : nearWord(shown.shown, diagnose));
    if (text !== '') diagnose.report('RS2012', at, { action, problem: parsed.problem }, { near });
    return null;
  }
  const condition = way.condition === null ? null : fullCondition(way.condition, diagnose);
  return { signal, condition, action: parsed.action, spot: at, written, ...placesOf(value), ...shown };
}

function reportWord(word: string, spot: Spot, { report }: Diagnose): void {
  const action = WORDS[word] ?? word;
  const remedy = `"Block:${word}" for the block, or "${action}"`;
  report('RS2070', spot, { name: word, first: `the action ${action}`, second: `the block "${word}"`, remedy });
}

const isUnaddressed = (action: ParsedAction): boolean =>
  (action.kind === 'call' || action.kind === 'fork') && action.returnTo === null;

/** Reports rows that continue at the next block, if the next block is the verdict of another row. */
function reportUnaddressed(rows: readonly (ResolvedRow | null)[], { report }: Diagnose): void {
  for (const row of rows)
    if (row !== null && isUnaddressed(row.action))
      report('RS2069', row.spot, {
        signal: row.signal,
        problem: 'the block also has a row with `all` or `any`, so the block to continue at must be named (`to`)',
      });
}

/**
 * Converts the short form of rows, an object by signal (`on`, `default_transitions`), to rows in written order. A row
 * is null if it can't be read. `owner` is the block that the rows belong to; null if only full block ids are allowed.
 */
export function desugarShortRows(
  rows: JsonObject,
  owner: RowsOwner | null,
  diagnose: Diagnose,
): readonly (ResolvedRow | null)[] {
  reportTwice(rows, diagnose);
  let verdicts = 0;
  const made = entriesOf(rows).map((entry) => {
    if (hasVerdict(entry.value)) verdicts += 1;
    return toRow(entry, owner, owner === null ? null : verdictName(owner.name, verdicts), diagnose);
  });
  if (verdicts > 0 && owner !== null) reportUnaddressed(made, diagnose);
  return made;
}

/** Returns the default rows for signals that no unconditional row of the block handles. */
export function missingRows(own: readonly ResolvedRow[], defaults: readonly ResolvedRow[]): readonly ResolvedRow[] {
  const handled = new Set(own.filter(({ condition }) => condition === null).map(({ signal }) => signal));
  return handled.has(FAIL_DEFAULT) ? [] : defaults.filter(({ signal }) => !handled.has(signal));
}
