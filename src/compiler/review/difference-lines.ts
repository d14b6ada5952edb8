import type { JsonValue } from '#protocol/json.ts';
import type { GraphDifference } from '../compare/compare-graphs.ts';

type FieldChange = Extract<GraphDifference, { readonly change: 'changed' }>;

/** A line of a value: only in the first manifest, only in the second one, or in both. */
export interface DifferenceLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** Splits a value into lines for a line-by-line comparison. */
function valueLines(value: JsonValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return value.split('\n');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.flatMap((one) => one.split('\n'));
  return JSON.stringify(value, null, 2).split('\n');
}

/** Returns the number of equal lines with which two texts begin. */
function commonStart(one: readonly string[], other: readonly string[]): number {
  const first = one.findIndex((line, index) => line !== other[index]);
  return first < 0 ? one.length : first;
}

/** Compares two values line by line. Equal lines at the beginning and at the end are shown once. */
export function differenceLines({ before, after }: Pick<FieldChange, 'before' | 'after'>): readonly DifferenceLine[] {
  const [old, now] = [valueLines(before), valueLines(after)];
  const start = commonStart(old, now);
  const [oldRest, nowRest] = [old.slice(start), now.slice(start)];
  const end = commonStart(oldRest.toReversed(), nowRest.toReversed());
  const signed = (sign: DifferenceLine['sign'], lines: readonly string[]): readonly DifferenceLine[] =>
    lines.map((text) => ({ sign, text }));
  return [
    ...signed(' ', old.slice(0, start)),
    ...signed('-', oldRest.slice(0, oldRest.length - end)),
    ...signed('+', nowRest.slice(0, nowRest.length - end)),
    ...signed(' ', oldRest.slice(oldRest.length - end)),
  ];
}

type RowChange = 'added' | 'removed' | 'redirected' | 'changed';

const conditionOf = (row: string): string => row.replace(/^\S+/, '');

const rowsOf = (value: JsonValue): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Returns how the transitions of a signal changed, or null for other fields. `redirected` means that the conditions are
 * the same and only the targets differ.
 */
export function rowChange(one: GraphDifference): RowChange | null {
  if (one.change !== 'changed' || one.subject !== 'block' || !one.field.startsWith('SIGNAL:')) return null;
  const [old, now] = [rowsOf(one.before), rowsOf(one.after)];
  if (old.length === 0) return 'added';
  if (now.length === 0) return 'removed';
  const isSame = old.length === now.length && old.every((row, at) => conditionOf(row) === conditionOf(now[at] ?? ''));
  return isSame ? 'redirected' : 'changed';
}
