import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { parseAction } from './action-grammar.ts';
import type { ResolvedRow } from './resolved-manifest.ts';

interface Entry {
  readonly signal: string;
  readonly text: string;
  readonly condition: JsonObject | null;
  readonly spot: Spot;
  /** The entry as written, if it is an object. */
  readonly written: JsonObject | null;
}

const fullSignal = (key: string): string => (key.startsWith('SIGNAL:') ? key : `SIGNAL:${key}`);

function readEntry(signal: string, value: JsonValue | undefined, spot: Spot): Entry | null {
  if (typeof value === 'string') return { signal, text: value, condition: null, spot, written: null };
  if (!isObject(value)) return null;
  const text = readString(value, 'action');
  return text === null
    ? null
    : {
        signal,
        text,
        condition: readObject(value, 'condition'),
        spot: { container: value, member: 'action' },
        written: value,
      };
}

function readEntries(rows: JsonObject, key: string): readonly (Entry | null)[] {
  const value = rows[key];
  const signal = fullSignal(key);
  if (!isList(value)) return [readEntry(signal, value, { container: rows, member: key })];
  return value.map((entry, index) => readEntry(signal, entry, { container: value, member: index }));
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

function toRow(entry: Entry, node: string | null, { report }: Diagnose): ResolvedRow | null {
  const { signal, text, condition, spot, written } = entry;
  const parsed = parseAction(text, node);
  if (parsed.ok) return { signal, condition, action: parsed.action, spot, written };
  if (text !== '') report('RS2012', spot, { action: text, problem: parsed.problem }, { near: parsed.near });
  return null;
}

/**
 * Converts the short form of rows, an object by signal (`on`, `default_transitions`), to rows in written order. A row
 * is null if it can't be read. `node` is the node to which block names without a node belong, or null if only full
 * block ids are allowed.
 */
export function desugarShortRows(
  rows: JsonObject,
  node: string | null,
  diagnose: Diagnose,
): readonly (ResolvedRow | null)[] {
  reportTwice(rows, diagnose);
  const entries = Object.keys(rows).flatMap((key) => readEntries(rows, key));
  return entries.map((entry) => (entry === null ? null : toRow(entry, node, diagnose)));
}

/** Returns the default rows for signals that no unconditional row of the block handles. */
export function missingRows(own: readonly ResolvedRow[], defaults: readonly ResolvedRow[]): readonly ResolvedRow[] {
  const handled = new Set(own.filter(({ condition }) => condition === null).map(({ signal }) => signal));
  return handled.has(FAIL_DEFAULT) ? [] : defaults.filter(({ signal }) => !handled.has(signal));
}
