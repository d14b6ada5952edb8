import type { JsonObject } from '#protocol/json.ts';
import { interpret } from '../reference/interpret.ts';
import type { ConformanceCase } from './workflows/conformance-case.ts';
import { pathLine } from './workflows/path-line.ts';

/** The ids of the requirements that the cases of each action cover. */
const PROVES: Readonly<Record<string, readonly string[]>> = {
  'call-across': ['manifest.call.explicit-return-cross-node'],
  'call-of-a-failing-node': ['manifest.child-failure.error-signal'],
  'call-with-address': ['manifest.call.explicit-return'],
  call: ['manifest.call.entry-block', 'manifest.call.implicit-return'],
  'fork-of-a-failing-node': ['manifest.child-failure.error-signal'],
  'fork-with-address': ['manifest.fork.explicit-return'],
  fork: ['manifest.fork.branches', 'manifest.fork.join'],
  'halt-and-next': ['engine.answer.next'],
  halt: ['manifest.halt.waits'],
  'jump-across': ['manifest.jump.cross-node'],
  jump: ['manifest.jump.same-node'],
  'no-row': ['manifest.look-up.no-transition'],
  return: ['manifest.return.to-caller'],
};

const PROVES_LOOK_UP: Readonly<Record<string, readonly string[]>> = {
  match: ['manifest.look-up.order'],
  default: ['manifest.look-up.fail-default'],
};

const ACTIONS: Readonly<Record<string, string>> = {
  jump: 'JUMP:a',
  'jump-across': 'JUMP:Side__out',
  call: 'CALL:Sub',
  'call-with-address': 'CALL:Sub:a',
  'call-across': 'CALL:Sub:Side__out',
  return: 'RETURN',
  fork: 'FORK:Sub,Side',
  'fork-with-address': 'FORK:Side,Sub:a',
  'fork-of-a-failing-node': 'FORK:Sub,Broken',
  'call-of-a-failing-node': 'CALL:Broken',
  halt: 'HALT_AND_FLAG',
  'halt-and-next': 'HALT_AND_FLAG',
};

interface LookUp {
  /** The signal of the row that has the tested action; null if no row has it. */
  readonly onSignal: string | null;
  readonly entry: JsonObject;
}

const LOOK_UPS: Readonly<Record<string, LookUp>> = {
  match: {
    onSignal: 'SIGNAL:TESTED',
    entry: { signal: 'SIGNAL:TESTED', append: [{ type: 'NOTE', content: 'tested' }] },
  },
  default: { onSignal: 'SIGNAL:FAIL_DEFAULT', entry: { signal: 'SIGNAL:UNKNOWN' } },
  error: { onSignal: 'SIGNAL:ERROR', entry: { error: 'boom' } },
  timeout: { onSignal: 'SIGNAL:TIMEOUT', entry: { signal: 'SIGNAL:SUCCESS', delay_ms: 11 } },
};

const NO_ROW: Readonly<Record<string, LookUp>> = {
  unknown: { onSignal: null, entry: { signal: 'SIGNAL:UNKNOWN' } },
  error: { onSignal: null, entry: { error: 'boom' } },
  timeout: { onSignal: null, entry: { signal: 'SIGNAL:SUCCESS', delay_ms: 11 } },
  answer: { onSignal: null, entry: { text: 'prose without a token' } },
};

const POSITIONS = ['a', 'b', 'c'] as const;
const POSITION_NAMES = ['first', 'middle', 'last'] as const;
const CONTEXTS = ['root', 'call', 'fork', 'recursion'] as const;

type Context = (typeof CONTEXTS)[number];

const row = (signal: string, action: string): JsonObject => ({ on_signal: signal, action });

const block = (...transitions: readonly JsonObject[]): JsonObject => ({
  worker: 'Worker:Coder',
  timeout_ms: 10,
  transitions,
});

const returning = block(row('SIGNAL:SUCCESS', 'RETURN'));

const workBlocks = (tested: string, onSignal: string | null, action: string): JsonObject =>
  Object.fromEntries(
    POSITIONS.map((name, index) => {
      const following = POSITIONS[index + 1];
      const onward = row('SIGNAL:SUCCESS', following === undefined ? 'RETURN' : `JUMP:${following}`);
      return [name, name === tested && onSignal !== null ? block(onward, row(onSignal, action)) : block(onward)];
    }),
  );

const helpers: JsonObject = {
  Sub: { entry_block: 'work', blocks: { work: returning } },
  Side: { entry_block: 'in', blocks: { in: block(row('SIGNAL:SUCCESS', 'JUMP:out')), out: returning } },
  Broken: { entry_block: 'work', blocks: { work: returning } },
};

const callerOf = (context: Context): JsonObject => {
  if (context !== 'call' && context !== 'fork') return {};
  const one = block(row('SIGNAL:SUCCESS', context === 'call' ? 'CALL:Work' : 'FORK:Work,Side'));
  return { Main: { entry_block: 'one', blocks: { one, two: returning } } };
};

/**
 * Builds the node `Work`. In the context of recursion, the node calls itself twice before it reaches the tested block,
 * and passes that block again after each return.
 */
const workNode = (context: Context, blocks: JsonObject): JsonObject => {
  if (context !== 'recursion') return { entry_block: 'a', blocks };
  const deep = block(row('SIGNAL:DOWN', 'CALL:Work'), row('SIGNAL:SUCCESS', 'JUMP:a'));
  return { entry_block: 'deep', blocks: { deep, ...blocks } };
};

const scriptOf = (tested: string, entry: JsonObject, action: string): JsonObject => ({
  [`Work__${tested}`]: [entry, { signal: 'SIGNAL:SUCCESS' }],
  Work__deep: [{ signal: 'SIGNAL:DOWN' }, { signal: 'SIGNAL:DOWN' }, { signal: 'SIGNAL:SUCCESS' }],
  Broken__work: [{ error: 'broken', delay_ms: 1 }],
  Side__in: [{ signal: 'SIGNAL:SUCCESS', delay_ms: 2 }],
  '*': [{ signal: 'SIGNAL:SUCCESS' }],
  ...(action === 'halt-and-next' ? { '@halts': [{ block: `Work__${tested}`, answer: 'next' }] } : {}),
});

const only = (script: JsonObject, manifest: JsonObject): JsonObject =>
  'deep' in ((manifest['nodes'] as JsonObject)['Work'] as { blocks: JsonObject }).blocks
    ? script
    : Object.fromEntries(Object.entries(script).filter(([key]) => key !== 'Work__deep'));

const expectationOf = (manifest: JsonObject, start: string, script: JsonObject): ConformanceCase['expect'] => {
  const { success, reason, details, path, payload, exports, steps, depth } = interpret(manifest, start, script);
  const segments = payload.map(({ type, content, source }) => ({
    type,
    content,
    source: source === null ? null : `${source.block}#${String(source.visit)}`,
  }));
  return { success, reason, details, path: path.map(pathLine), payload: segments, exports, steps, depth };
};

const makeCase = (
  action: string,
  look: string,
  { onSignal, entry }: LookUp,
  index: number,
  context: Context,
): ConformanceCase => {
  const tested = POSITIONS[index] ?? 'a';
  const blocks = workBlocks(tested, onSignal, ACTIONS[action] ?? '');
  const manifest: JsonObject = {
    version: 1,
    max_steps: 20,
    max_run_steps: 24,
    workers: { 'Worker:Coder': { kind: 'ai' } },
    nodes: { ...callerOf(context), Work: workNode(context, blocks), ...helpers },
  };
  const start = 'Main' in (manifest['nodes'] as JsonObject) ? 'Main' : 'Work';
  const script = only(scriptOf(tested, entry, action), manifest);
  const position = POSITION_NAMES[index] ?? '';
  return {
    id: `matrix-${action}-on-${look}-${position}-${context}`,
    requirements: [...(PROVES[action] ?? []), ...(PROVES_LOOK_UP[look] ?? [])],
    about: `Generated: ${action} on ${look}, in the ${position} block, context ${context}.`,
    manifest,
    start,
    script,
    expect: expectationOf(manifest, start, script),
  };
};

const casesOf = (action: string, lookUps: Readonly<Record<string, LookUp>>): readonly ConformanceCase[] =>
  Object.entries(lookUps).flatMap(([look, lookUp]) =>
    POSITIONS.flatMap((_, index) => CONTEXTS.map((context) => makeCase(action, look, lookUp, index, context))),
  );

/**
 * Returns every combination of action, look-up, position and context, by action. The naive interpreter in
 * `test/reference/` computes the expected results, so these cases check that every implementation agrees with it. A
 * sample of each action was compared with the specification by hand; `workflows.test.ts` fails after each change
 * of a case.
 */
export const matrixCases = (): ReadonlyMap<string, readonly ConformanceCase[]> =>
  new Map([
    ...Object.keys(ACTIONS).map((action) => [action, casesOf(action, LOOK_UPS)] as const),
    ['no-row', casesOf('no-row', NO_ROW)],
  ]);
