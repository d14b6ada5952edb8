import { editDistance } from '#protocol/nearest.ts';
import {
  ERROR,
  FAIL_DEFAULT,
  FAILURE,
  NO_SIGNAL,
  REJECTED,
  SUCCESS,
  TIMEOUT,
  VALIDATION_FAIL,
} from '#protocol/signal.ts';
import type { Transition } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ResolvedRow } from '../2-resolve/resolved-manifest.ts';
import type { KnownNames } from './known-names.ts';
import type { CheckedBlock } from './read-block.ts';

/** Signals that only the engine emits; prompts don't offer them to models. */
const UNSAID: ReadonlySet<string> = new Set([SUCCESS, TIMEOUT, NO_SIGNAL, VALIDATION_FAIL]);

/**
 * Returns whether a block's model has no signal to refuse with. Blocks whose answer is checked by a schema are exempt:
 * the check or the data expresses the refusal.
 */
function cannotRefuse({ block }: CheckedBlock, { manifest }: KnownNames): boolean {
  const worker = manifest.workers.get(block.worker)?.value;
  const kind = isObject(worker) ? readString(worker, 'kind') : null;
  const isChecked = (block.validation?.schema ?? null) !== null || block.answer !== undefined;
  const isAsked = (kind === 'ai' || kind === 'agent') && !isChecked;
  return isAsked && block.transitions.every(({ signal }) => UNSAID.has(signal));
}

/** Warns of a block without a `FAIL_DEFAULT` row: either that its model can't refuse, or that the row is missing. */
function warnOfMissingDefault(checked: CheckedBlock, names: KnownNames, { report }: Diagnose): void {
  const { block, resolved, complete } = checked;
  const handles = block.transitions.some(({ signal }) => signal === FAIL_DEFAULT);
  if (!complete || block.transitions.length === 0 || handles) return;
  report(cannotRefuse(checked, names) ? 'RS4011' : 'RS4002', resolved.spot, { block: block.id });
}

/**
 * Returns a key for what a row matches. A row without a condition matches its whole signal; rows with equal conditions
 * match the same.
 */
const keyOf = ({ signal, condition }: Transition): string =>
  condition === null ? signal : `${signal} ${JSON.stringify(condition)}`;

/** Returns the place of a row that the block's file writes for this block; null for default rows and handlers. */
function spotOf({ written, spot }: ResolvedRow, block: JsonObject): Spot | null {
  if (written !== null) return { container: written };
  // A row that is only an action is a text, which is known by the list that it is in. Two entries of the same signal are
  // reported as such.
  const lists = Object.values<unknown>(readObject(block, 'on') ?? {});
  return lists.includes(spot.container) ? spot : null;
}

function warnOfDeadRows({ block, resolved }: CheckedBlock, { report }: Diagnose): void {
  const taken = new Map<string, number>();
  for (const transition of block.transitions) {
    const key = keyOf(transition);
    const earlier = taken.get(transition.signal) ?? taken.get(key);
    const row = resolved.rows[transition.row];
    if (earlier === undefined) {
      taken.set(key, transition.row);
      continue;
    }
    const spot = row === undefined ? null : spotOf(row, resolved.written);
    if (spot !== null) report('RS4005', spot, { signal: transition.signal, earlier: String(earlier + 1) });
  }
}

/** Returns the place of a row's signal; null for default rows and handlers. */
const signalSpot = (row: ResolvedRow, block: JsonObject): Spot | null =>
  row.spot.container === readObject(block, 'on') ? { ...row.spot, side: 'key' } : spotOf(row, block);

/** The signals of the engine and of the built-in workers, which most rows name. */
const USUAL = [SUCCESS, FAILURE, ERROR, TIMEOUT, REJECTED, NO_SIGNAL, VALIDATION_FAIL, FAIL_DEFAULT];

/** Warns of a signal that differs from a usual one in one letter, unless the block has a row for that one as well. */
function warnOfMisspellings({ block, resolved }: CheckedBlock, { report }: Diagnose): void {
  const named = new Set(block.transitions.map(({ signal }) => signal));
  for (const { signal, row } of block.transitions) {
    if (USUAL.includes(signal)) continue;
    const near = USUAL.find((usual) => !named.has(usual) && editDistance(signal, usual, 1) !== null);
    const written = resolved.rows[row];
    const spot = near === undefined || written === undefined ? null : signalSpot(written, resolved.written);
    if (near !== undefined && spot !== null) report('RS4015', spot, { signal, near });
  }
}

/** Warns of problems in one block's transition table. */
export function warnOfRows(checked: CheckedBlock, names: KnownNames, diagnose: Diagnose): void {
  warnOfMissingDefault(checked, names, diagnose);
  warnOfDeadRows(checked, diagnose);
  warnOfMisspellings(checked, diagnose);
}
