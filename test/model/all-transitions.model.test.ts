import fc from 'fast-check';
import { createMachine, type AnyStateMachine } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { ScriptEntry } from '#protocol/script.ts';
import { verifies } from '../e2e/verifies.ts';
import { seed } from '../support/seeded-random.ts';

/**
 * The condition of all generated rows. It holds for the row that the scripted answer names in its export `wanted`, so
 * that a test can reach every row.
 */
const WANTED = 'test.wanted';
const wanted = { id: WANTED } as const;

interface Plan {
  readonly blocks: readonly {
    readonly rows: readonly {
      readonly signal: number;
      readonly action: number;
      readonly target: number;
      readonly guarded: boolean;
    }[];
  }[];
}

const SIGNALS = ['SIGNAL:SUCCESS', 'SIGNAL:FAILURE', 'SIGNAL:FAIL_DEFAULT', 'SIGNAL:OTHER'];

const plan: fc.Arbitrary<Plan> = fc.record({
  blocks: fc.array(
    fc.record({
      rows: fc.array(fc.record({ signal: fc.nat(3), action: fc.nat(9), target: fc.nat(9), guarded: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const ACTIONS = ['JUMP', 'JUMP', 'JUMP', 'CALL', 'CALL', 'RETURN', 'FORK', 'HALT_AND_FLAG', 'JUMP', 'WIDE'];

function actionOf(kind: string | undefined, target: string): string {
  switch (kind) {
    case 'CALL':
      return `CALL:Sub:${target}`;
    case 'FORK':
      return `FORK:Sub,Sub:${target}`;
    case 'WIDE':
      return `FORK:${Array.from({ length: 18 }, () => 'Sub').join(',')}:${target}`;
    case 'RETURN':
    case 'HALT_AND_FLAG':
      return kind;
    default:
      return `JUMP:${target}`;
  }
}

function build({ blocks }: Plan): CompiledWorkflow {
  const own = blocks.map(({ rows }, at): [string, object] => {
    const seen = new Set<number>();
    const transitions = rows.map(({ signal, action, target, guarded }, row) => {
      const last = !rows.slice(row + 1).some((other) => other.signal === signal);
      const condition = last && !guarded ? {} : { condition: { ...wanted, args: [row] } };
      seen.add(signal);
      return {
        on_signal: SIGNALS[signal],
        ...condition,
        action: actionOf(ACTIONS[action], `B${target % blocks.length}`),
      };
    });
    return [`B${at}`, { worker: 'Worker:X', transitions }];
  });
  const manifest = {
    version: 1,
    entry: 'Main',
    max_steps: 300,
    max_run_steps: 300,
    workers: { 'Worker:X': { kind: 'ai' } },
    nodes: {
      Main: { entry_block: 'B0', blocks: Object.fromEntries(own) },
      Sub: { entry_block: 'Only', blocks: { Only: { worker: 'Worker:X' } } },
    },
  };
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }], {
    conditions: new Set([WANTED]),
  });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow;
}

type Json = Record<string, unknown>;

/**
 * Builds a state machine that has only the transitions of a node's chart, without invokes and context. The return of a
 * child becomes the event DONE, so that paths lead through calls and forks.
 */
function skeleton(workflow: CompiledWorkflow): AnyStateMachine {
  const config = JSON.parse(JSON.stringify(workflow.config('Main' as NodeId))) as { states: Record<string, Json> };
  const states = Object.entries(config.states).map(([name, state]): [string, Json] => {
    const { invoke, onDone } = state as { invoke?: { onDone?: { target: string }[] }; onDone?: { target: string } };
    const back = onDone?.target ?? invoke?.onDone?.at(-1)?.target;
    const on = back === undefined ? state['on'] : { DONE: { target: back } };
    return [
      name,
      {
        ...(state['type'] === 'final' ? { type: 'final' } : {}),
        ...(on === undefined ? {} : { on: withoutActions(on as Json) }),
      },
    ];
  });
  return createMachine(
    { initial: 'Main__B0', states: Object.fromEntries(states) } as never,
    { guards: { row: ({ event }: { event: Json }, params: { row: number }) => event['row'] === params.row } } as never,
  );
}

const withoutActions = (on: Json): Json =>
  Object.fromEntries(
    Object.entries(on).map(([signal, rows]) => [
      signal,
      [rows]
        .flat()
        .map((row) =>
          Object.fromEntries(
            Object.entries(row as Json).filter(([key]) => key === 'target' || key === 'guard' || key === 'reenter'),
          ),
        ),
    ]),
  );

/** The properties of an xstate/graph path that the tests use. */
interface Path {
  readonly state: { readonly value: string };
  readonly steps: readonly {
    readonly state: { readonly value: string };
    readonly event: { readonly type: string; readonly row?: number };
  }[];
}

interface Edge {
  readonly from: string;
  readonly signal: string;
  readonly row: number;
}

const rowsOf = (workflow: CompiledWorkflow): readonly Edge[] =>
  workflow.graph.nodes[0]?.blocks.flatMap(({ id, transitions }) =>
    transitions.map(({ signal, row }) => ({ from: id, signal, row })),
  ) ?? [];

/**
 * Returns the signal that a worker must emit to reach a row. Workers can't emit FAIL_DEFAULT, so it is replaced by a
 * signal without a row.
 */
const spoken = (signal: string): string => (signal === 'SIGNAL:FAIL_DEFAULT' ? 'SIGNAL:NOBODY_HANDLES_THIS' : signal);

/** Runs the engine along a path of rows and returns the path entries of the root frame. */
async function drive(workflow: CompiledWorkflow, edges: readonly Edge[]): Promise<readonly PathEntry[]> {
  const answers = new Map<string, ScriptEntry[]>([['Sub__Only', [{ signal: 'SIGNAL:SUCCESS' }]]]);
  for (const { from, signal, row } of edges) {
    const list = answers.get(from) ?? [];
    answers.set(from, [...list, { signal: spoken(signal), exports: { wanted: row } }]);
  }
  const response = await simulate(workflow, {
    start: { block: 'Main__B0' as BlockId },
    script: { answers, halts: edges.map(({ from }) => ({ block: from, answer: 'abort' as const })) },
    conditions: new Map([
      [
        WANTED,
        ({ exports }: { exports: Readonly<Record<string, JsonValue>> }, [row]: readonly JsonValue[]) =>
          exports['wanted'] === row,
      ],
    ]),
  });
  return response.path.filter(({ frame }) => frame === '/');
}

const takenRow = (workflow: CompiledWorkflow, entry: PathEntry | undefined, { signal, row }: Edge): boolean => {
  const transition = workflow.graph.nodes[0]?.blocks.find(({ id }) => id === entry?.block)?.transitions[row];
  return entry?.action === transition?.text && entry?.via === (signal === 'SIGNAL:FAIL_DEFAULT' ? 'default' : 'match');
};

const runs = Number(process.env['ROBOSMITH_PATH_RUNS'] ?? 150);

test(
  `every transition that the chart can reach is taken by the engine (${runs} charts, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async () => {
    verifies('engine.compile.runs-what-is-exported');
    let covered = 0;
    const property = fc.asyncProperty(plan, async (random) => {
      const workflow = build(random);
      const machine = skeleton(workflow);
      const rows = rowsOf(workflow);
      const events = [...rows.map(({ signal, row }) => ({ type: signal, row })), { type: 'DONE' }];
      const toEach = new Map(
        (getShortestPaths(machine, { events }) as readonly Path[]).map(({ state, steps }) => [state.value, steps]),
      );
      for (const edge of rows) {
        if (!toEach.has(edge.from) || shadowed(rows, edge, workflow)) continue;
        const before = (toEach.get(edge.from) ?? []).flatMap(({ state, event }) => stepOf(state.value, event));
        const entries = await drive(workflow, [...walk(before, workflow), edge]);
        const at = walk(before, workflow).length;
        expect(takenRow(workflow, entries[at], edge), JSON.stringify({ random, edge, entries })).toBe(true);
        covered += 1;
      }
    });
    await fc.assert(property, { numRuns: runs, seed });
    console.log(`${covered} transitions taken, each by the shortest path to it`);
    expect(covered).toBeGreaterThan(runs);
  },
);

/** Converts a step of xstate/graph, which contains an event and the state after it. Drops xstate's initial event. */
const stepOf = (reached: string, event: { readonly type: string; readonly row?: number }) =>
  event.type.startsWith('SIGNAL:')
    ? [{ reached, signal: event.type, row: event.row ?? 0 }]
    : event.type === 'DONE'
      ? [{ reached, signal: 'DONE', row: 0 }]
      : [];

/** Converts steps to events, each with the block at which it happens. The DONE of a call happens at no block. */
function walk(
  steps: readonly { readonly reached: string; readonly signal: string; readonly row: number }[],
  workflow: CompiledWorkflow,
): readonly Edge[] {
  const edges: Edge[] = [];
  let at = String(workflow.graph.nodes[0]?.entryBlock);
  for (const { reached, signal, row } of steps) {
    if (signal !== 'DONE') edges.push({ from: at, signal, row });
    at = reached;
  }
  return edges;
}

/**
 * Returns whether an earlier row without a condition makes a row unreachable. FAIL_DEFAULT rows count as well, because
 * the row number alone does not distinguish them.
 */
const shadowed = (rows: readonly Edge[], edge: Edge, workflow: CompiledWorkflow): boolean =>
  rows.some(
    ({ from, signal, row }) =>
      from === edge.from &&
      signal === edge.signal &&
      row < edge.row &&
      workflow.graph.nodes[0]?.blocks.find(({ id }) => id === from)?.transitions[row]?.condition === null,
  );
