import { BUILT_IN_CONDITIONS, isSuccess } from '#machines/run/conditions.ts';
import type { ConditionFacts } from '#protocol/condition.ts';
import type { ConditionRef } from '#protocol/graph.ts';
import type { NodeId, Signal } from '#protocol/id.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { MANUAL } from './happenings.ts';
import type { Label } from './system.ts';

/** What the scripted answer of a step contains so that the conditions of its lookup choose the row. */
interface Conditioned {
  readonly exports: { readonly exports?: Readonly<Record<string, JsonValue>> };
  readonly append: { readonly append?: readonly SegmentDraft[] };
  /** The conditions that no answer can control, and that are otherwise at this step. */
  readonly assumes: readonly string[];
}

const conditionText = ({ id, args }: ConditionRef): string =>
  `${id}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;

/** What the scripted answers of a path have added so far. */
export interface Added {
  readonly exports: Map<string, JsonValue>;
  readonly types: Set<string>;
}

/** The counts of a visit that conditions read, and what the frame's last call returned. */
interface Situation {
  readonly attempts: number;
  readonly visit: number;
  readonly returned: readonly { readonly node: NodeId; readonly signal: Signal }[];
}

/** Returns an export that makes a condition on it true or false; undefined if it can't. */
function valueFor({ id, args: [, wanted = null] }: ConditionRef, holds: boolean): JsonValue {
  if (id === 'exports.truthy') return holds;
  return holds ? wanted : isObject(wanted) || wanted === 'other' ? null : 'other';
}

/** Returns what a scripted answer needs so that the lookup of a step takes its row. */
export function conditionsFor(
  { block, row, skipped, signal, by }: Extract<Label, { kind: 'end' }>,
  frame: Situation,
  added: Added,
): Conditioned {
  const wanted = [
    ...skipped.map(({ condition }) => ({ condition, holds: false })),
    ...(row === null ? [] : [{ condition: row.condition, holds: true }]),
  ];
  const exports: Record<string, JsonValue> = {};
  const append: SegmentDraft[] = [];
  const assumes: string[] = [];
  // The answer of a person has no exports, and a failed child returns no answer.
  const mayExport = by !== 'child' && block.worker !== MANUAL;
  const facts = (): ConditionFacts => ({
    exports: { ...Object.fromEntries(added.exports), ...exports },
    payload: [...added.types, ...append.map(({ type }) => type)].map((type) => ({ type })) as never,
    response: { success: isSuccess(signal), signal },
    attempt: frame.attempts,
    visits: frame.visit,
    returned: frame.returned.map((one) => ({ ...one, exports: {} })),
  });
  for (const { condition, holds } of wanted) {
    if (condition === null) continue;
    const [first] = condition.args;
    const key = typeof first === 'string' ? first : '';
    if (mayExport && condition.id.startsWith('exports.') && !Object.hasOwn(exports, key))
      exports[key] = valueFor(condition, holds);
    if (mayExport && condition.id === 'payload.has_type' && holds) append.push({ type: key, content: 'x' });
  }
  for (const { condition, holds } of wanted) {
    if (condition === null) continue;
    const test = BUILT_IN_CONDITIONS.get(condition.id);
    if (test?.(facts(), condition.args) !== holds)
      assumes.push(`${conditionText(condition)} is ${holds ? 'true' : 'false'}`);
  }
  for (const [key, value] of Object.entries(exports)) added.exports.set(key, value);
  for (const { type } of append) added.types.add(type);
  return {
    exports: Object.keys(exports).length === 0 ? {} : { exports },
    append: append.length === 0 ? {} : { append },
    assumes,
  };
}
