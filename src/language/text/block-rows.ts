import type { Node } from 'jsonc-parser';
import { entriesOf, memberOf, membersOf, textOf } from './json-node.ts';

/** A row of a block, of `transitions` or of `on`. */
interface BlockRow {
  readonly signal: string;
  /** The row itself: an object, or the text of where to go. */
  readonly row: Node;
}

/** Returns the rows of a block in written order, in whatever form they are written. */
export function rowsOf(block: Node | undefined): readonly BlockRow[] {
  const long = entriesOf(memberOf(block, 'transitions')).map((row) => ({
    signal: textOf(memberOf(row, 'on_signal')) ?? '?',
    row,
  }));
  const short = membersOf(memberOf(block, 'on')).flatMap(({ name, value }) =>
    (value?.type === 'array' ? entriesOf(value) : [value]).flatMap((row) =>
      row === undefined ? [] : [{ signal: name, row }],
    ),
  );
  return [...long, ...short];
}

const listText = (node: Node | undefined): string =>
  entriesOf(node)
    .map((entry) => textOf(entry) ?? '?')
    .join(', ');

/** Returns where a row leads, in words for a tooltip. */
export function wayText(row: Node): string {
  const member = (name: string): string | null => textOf(memberOf(row, name));
  const to = member('to');
  const then = to === null ? '' : `, then ${to}`;
  const [call, all, any] = [member('call'), memberOf(row, 'all'), memberOf(row, 'any')];
  const most: unknown = memberOf(row, 'at_most')?.value;
  const bound = typeof most === 'number' ? `, at most ${most} ${most === 1 ? 'time' : 'times'}` : '';
  if (call !== null) return `call ${call}${then}${bound}`;
  if (all !== undefined) return `all of ${listText(all)}${then}${bound}`;
  if (any !== undefined) return `any of ${listText(any)}${then}${bound}`;
  return `${textOf(row) ?? to ?? member('action') ?? '?'}${bound}`;
}
