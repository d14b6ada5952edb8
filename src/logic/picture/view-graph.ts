import type { Place } from '#protocol/diagnostic.ts';
import type { RowAction, SourcePlace, ViewBlock, ViewGraph, WorkerKind } from '#protocol/generated/view.gen.ts';
import type { Action, Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';

const MANUAL = 'Internal:Manual';

/** Returns a signal without its `SIGNAL:` prefix. */
export const shownSignal = (signal: string): string => signal.replace(/^SIGNAL:/, '');

function placeOf({ file, line, column }: Place): SourcePlace | null {
  return line > 0 ? { file, line, column: Math.max(1, column) } : null;
}

function actionOf(action: Action): RowAction {
  switch (action.kind) {
    case 'jump':
      return { kind: 'jump', block: action.target };
    case 'call':
      return { kind: 'call', node: action.node, returnTo: action.returnTo };
    case 'fork':
      return { kind: 'fork', nodes: action.nodes, returnTo: action.returnTo };
    case 'return':
    case 'halt':
      return { kind: action.kind };
  }
}

const conditionOf = ({ condition }: Transition): string | null => {
  if (condition === null) return null;
  const args = condition.args.map((arg) => JSON.stringify(arg)).join(', ');
  return args === '' ? condition.id : `${condition.id}(${args})`;
};

/** Returns the kind of a block's worker. `kinds`: those of the declared workers, by name. */
export function kindOf({ worker }: GraphBlock, kinds: ReadonlyMap<string, WorkerKind>): WorkerKind {
  if (worker === MANUAL) return 'person';
  return kinds.get(worker) ?? (worker.startsWith('Internal:') ? 'built-in' : 'module');
}

const blockOf = (block: GraphBlock, kinds: ReadonlyMap<string, WorkerKind>): ViewBlock => ({
  id: block.id,
  name: block.name,
  kind: kindOf(block, kinds),
  worker: block.worker,
  gate: block.gate,
  timeoutMs: block.timeoutMs,
  source: placeOf(block.origin),
  rows: block.transitions.map((row) => ({
    signal: shownSignal(row.signal),
    condition: conditionOf(row),
    action: actionOf(row.action),
    source: null,
  })),
});

const isInputValue = (value: JsonValue): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Returns a graph as views draw it. `hash` identifies its content. */
export function viewGraph({ entry, inputs = {}, nodes, workers }: Graph, hash: string): ViewGraph {
  const kinds = new Map<string, WorkerKind>(workers.map(({ name, kind }) => [name, kind]));
  return {
    hash,
    entry,
    inputs: Object.entries(inputs).map(([name, { type, description, values, fallback }]) => ({
      name,
      type,
      description,
      values: values?.filter(isInputValue) ?? null,
      fallback: isInputValue(fallback) ? fallback : null,
    })),
    nodes: nodes.map(({ id, entryBlock, origin, blocks }) => ({
      id,
      entryBlock,
      source: placeOf(origin),
      blocks: blocks.map((block) => blockOf(block, kinds)),
    })),
  };
}
