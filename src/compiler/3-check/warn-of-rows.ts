import { FAIL_DEFAULT } from '#protocol/signal.ts';
import type { Transition } from '#protocol/graph.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import type { CheckedBlock } from './read-block.ts';

function warnOfMissingDefault({ block, resolved, complete }: CheckedBlock, { report }: Diagnose): void {
  const handles = block.transitions.some(({ signal }) => signal === FAIL_DEFAULT);
  if (complete && block.transitions.length > 0 && !handles) report('RS4002', resolved.spot, { block: block.id });
}

/** A row without a condition takes all of its signal; one with a condition takes what an equal one would. */
const keyOf = ({ signal, condition }: Transition): string =>
  condition === null ? signal : `${signal} ${JSON.stringify(condition)}`;

function warnOfDeadRows({ block, resolved }: CheckedBlock, { report }: Diagnose): void {
  const taken = new Map<string, number>();
  for (const transition of block.transitions) {
    const key = keyOf(transition);
    const earlier = taken.get(transition.signal) ?? taken.get(key);
    const row = resolved.rows[transition.row];
    if (earlier === undefined) taken.set(key, transition.row);
    else if (row !== undefined && row.written !== null) {
      report('RS4005', { container: row.written }, { signal: transition.signal, earlier: String(earlier + 1) });
    }
  }
}

/** Warnings about one block's table. */
export function warnOfRows(checked: CheckedBlock, diagnose: Diagnose): void {
  warnOfMissingDefault(checked, diagnose);
  warnOfDeadRows(checked, diagnose);
}
