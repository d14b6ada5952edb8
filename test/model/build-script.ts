import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { AnswerPlan, BlockPlan, EntryPlan, Plan } from './plan.ts';

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

export const SIGNALS = [
  'SUCCESS',
  'FAILURE',
  'AGAIN',
  'DOWN',
  'ERROR',
  'TIMEOUT',
  'NO_SIGNAL',
  'VALIDATION_FAIL',
] as const;

/** Returns a signal that the block handles in most cases, otherwise any signal. */
const signalFor = (entry: EntryPlan, handled: readonly string[]): string => {
  const own = handled.filter((signal) => signal !== 'SIGNAL:FAIL_DEFAULT');
  return own.length > 0 && entry.pick < 92 ? at(own, entry.pick) : `SIGNAL:${at(SIGNALS, entry.pick)}`;
};

const segments = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ type: at(['A', 'B'], index), content: `s${String(index)}` }));

/** Returns exports with distinct values, so that the value written last can be recognised. */
const exportsOf = ({ exported, pick }: EntryPlan): JsonObject => {
  switch (exported) {
    case 0:
    case 1:
      return { 'k.a': pick };
    case 2:
      return { 'k.a': 1, 'k.b': true };
    case 3:
      return { 'k.b': 0 };
    case 4:
      return { 'system.x': 1, 'k.c': [pick] };
    default:
      return {};
  }
};

const resultEntry = (entry: EntryPlan, handled: readonly string[]): JsonObject => ({
  signal: signalFor(entry, handled),
  ...(entry.segments >= 1 && entry.segments <= 3 ? { append: segments(entry.segments) } : {}),
  ...(entry.segments === 4 ? { payload: segments(2) } : {}),
  ...(entry.exported <= 4 ? { exports: exportsOf(entry) } : {}),
});

const JSON_ANSWERS = ['{"ok": true}', '{"ok": 1}', '```json\n{"ok": false, "k.a": 2, "k.b": 3}\n```', 'prose'] as const;

const textEntry = (entry: EntryPlan, handled: readonly string[]): JsonObject => {
  const lines: string[] = [at(JSON_ANSWERS, entry.segments)];
  if (entry.exported % 2 === 0) lines.push('DONE');
  if (entry.pick % 3 === 0) lines.push('SIGNAL:AGAIN', 'not SIGNAL:DOWN');
  if (entry.pick % 4 !== 0) lines.push(signalFor(entry, handled));
  return { text: lines.join('\n') };
};

const BROKEN: readonly JsonObject[] = [
  { signal: 'SIGNAL:FAIL_DEFAULT', append: [{ type: 'A', content: 'never' }] },
  { signal: 'SUCCESS' },
  { signal: 'SIGNAL:SUCCESS', append: [], payload: [] },
  { text: 'SIGNAL:FAIL_DEFAULT' },
];

const behaviour = (entry: EntryPlan, handled: readonly string[]): JsonObject => {
  if (entry.kind < 70) return resultEntry(entry, handled);
  if (entry.kind < 83) return textEntry(entry, handled);
  if (entry.kind < 97) return { error: 'boom' };
  return at(BROKEN, entry.pick);
};

const entryOf = (entry: EntryPlan, handled: readonly string[]): JsonObject => ({
  ...behaviour(entry, handled),
  ...(entry.delayMs > 0 ? { delay_ms: entry.delayMs } : {}),
  ...(entry.unsafe ? { side_effects: 'non_idempotent' } : {}),
});

const VERBS = ['next', 'next', 'next', 'retry', 'retry', 'proceed', 'proceed', 'proceed', 'jump', 'jump'] as const;

const answerOf = (answer: AnswerPlan, blocks: readonly string[]): JsonObject => {
  const verb = answer.verb === 19 ? 'abort' : at(VERBS, answer.verb);
  return {
    block: at(blocks, answer.block),
    answer: verb,
    ...(verb === 'jump' ? { to: at(blocks, answer.to) } : {}),
    ...(answer.guidance ? { guidance: 'mind the gap' } : {}),
  };
};

export interface WrittenBlock {
  readonly id: string;
  readonly plan: BlockPlan;
  readonly handled: readonly string[];
}

/** Builds the script for a generated manifest. */
export const buildScript = (plan: Plan, blocks: readonly WrittenBlock[]): JsonObject => {
  const ids = blocks.map((block) => block.id);
  const script: Record<string, JsonValue> = {};
  for (const block of blocks) {
    const isComputed = block.plan.verdict !== null && block.plan.verdict < 10;
    if (at(block.plan.entries, 0).kind % 50 !== 49 && !isComputed)
      script[block.id] = block.plan.entries.map((entry) => entryOf(entry, block.handled));
  }
  script['Worker:Fixer'] = at(blocks, 0).plan.entries.map((entry) =>
    entryOf(entry.kind < 60 ? { ...entry, pick: 96 } : entry, []),
  );
  script['*'] = [{ signal: 'SIGNAL:SUCCESS' }];
  const proceed = plan.stepMode ? [...ids, ...ids, ...ids].map((block) => ({ block, answer: 'proceed' })) : [];
  script['@halts'] = [...plan.answers.map((answer) => answerOf(answer, ids)), ...proceed];
  return script;
};
