import type { JsonObject } from '#protocol/json.ts';
import type { Workflow } from '../build-workflow.ts';

const row = (signal: string, action: string): JsonObject => ({ on_signal: `SIGNAL:${signal}`, action });

const block = (action: string | null, more: JsonObject = {}): JsonObject => ({
  worker: 'Worker:Coder',
  ...(action === null ? {} : { transitions: [row('SUCCESS', action), row('FAIL_DEFAULT', 'RETURN')] }),
  ...more,
});

const workflow = (nodes: JsonObject, script: JsonObject): Workflow => ({
  manifest: {
    version: 1,
    workers: { 'Worker:Coder': { kind: 'ai' }, 'Worker:Fixer': { kind: 'ai' } },
    nodes,
  },
  script: { '*': [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'done' }] }], ...script },
  start: 'Main',
  stepMode: false,
  input: 'go',
});

const says = (content: string, more: JsonObject = {}): JsonObject => ({
  signal: 'SIGNAL:SUCCESS',
  append: [{ type: 'A', content }],
  ...more,
});

const plain = workflow(
  {
    Main: {
      entry_block: 'a',
      blocks: {
        a: block('JUMP:b'),
        b: block('JUMP:c', { recovery: { '*': [{ policy: 'retry', max_attempts: 3, delay_ms: 5 }] } }),
        c: block(null),
      },
    },
  },
  { Main__b: [{ error: 'boom' }, says('b', { exports: { k: 1 } })] },
);

const call = workflow(
  {
    Main: { entry_block: 'a', blocks: { a: block('CALL:Sub'), b: block(null) } },
    Sub: { entry_block: 'c', blocks: { c: block('CALL:Deep:d'), d: block('RETURN') } },
    Deep: { entry_block: 'e', blocks: { e: block(null) } },
  },
  {},
);

const fork = workflow(
  {
    Main: { entry_block: 'a', blocks: { a: block('FORK:One,Two,One'), b: block(null) } },
    One: { entry_block: 'c', blocks: { c: block('JUMP:d'), d: block('RETURN') } },
    Two: { entry_block: 'e', blocks: { e: block('CALL:One') } },
  },
  { One__c: [says('c', { delay_ms: 7 })], Two__e: [says('e', { delay_ms: 2 })] },
);

const halts = workflow(
  {
    Main: {
      entry_block: 'a',
      blocks: {
        a: block('JUMP:b', { gate: true }),
        b: block('HALT_AND_FLAG'),
        c: block('RETURN', { worker: 'Internal:ManualIntervention' }),
      },
    },
  },
  {
    '@halts': [
      { block: 'Main__a', answer: 'proceed' },
      { block: 'Main__b', answer: 'retry', guidance: 'mind the gap' },
      { block: 'Main__b', answer: 'next' },
      { block: 'Main__c', answer: 'proceed' },
    ],
  },
);

const large = 'large '.repeat(4_000);

const blobs = workflow(
  { Main: { entry_block: 'a', blocks: { a: block('JUMP:b'), b: block('JUMP:c'), c: block(null) } } },
  {
    Main__a: [says(large)],
    Main__b: [{ signal: 'SIGNAL:SUCCESS', payload: [{ type: 'B', content: `${large}!` }] }],
    Main__c: [says(large)],
  },
);

/** Small workflows, each of a different kind. */
export const FAULT_WORKFLOWS = { plain, call, fork, halts, blobs } as const;
