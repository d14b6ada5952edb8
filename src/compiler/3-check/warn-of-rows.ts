import { FAIL_DEFAULT, NO_SIGNAL, SUCCESS, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { Transition } from '#protocol/graph.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readString } from '../1-parse/json-reader.ts';
import type { KnownNames } from './known-names.ts';
import type { CheckedBlock } from './read-block.ts';

/** Signals of the engine, which no model is told of. */
const UNSAID: ReadonlySet<string> = new Set([SUCCESS, TIMEOUT, NO_SIGNAL, VALIDATION_FAIL]);

/** A schema's answer is its verdict: the prompt lists no signals. */
function cannotRefuse({ block }: CheckedBlock, { manifest }: KnownNames): boolean {
  const worker = manifest.workers.get(block.worker)?.value;
  const kind = isObject(worker) ? readString(worker, 'kind') : null;
  const isAsked = (kind === 'ai' || kind === 'agent') && (block.validation?.schema ?? null) === null;
  return isAsked && block.transitions.every(({ signal }) => UNSAID.has(signal));
}

/** A block without a row for any other signal has one warning: that its model can't refuse, or that the row is missing. */
function warnOfMissingDefault(checked: CheckedBlock, names: KnownNames, { report }: Diagnose): void {
  const { block, resolved, complete } = checked;
  const handles = block.transitions.some(({ signal }) => signal === FAIL_DEFAULT);
  if (!complete || block.transitions.length === 0 || handles) return;
  report(cannotRefuse(checked, names) ? 'RS4011' : 'RS4002', resolved.spot, { block: block.id });
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
export function warnOfRows(checked: CheckedBlock, names: KnownNames, diagnose: Diagnose): void {
  warnOfMissingDefault(checked, names, diagnose);
  warnOfDeadRows(checked, diagnose);
}
