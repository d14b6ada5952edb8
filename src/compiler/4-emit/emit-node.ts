import type { Action, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { MachineConfig } from '#protocol/compiled.ts';

/**
 * The maximum number of branches of a FORK that becomes a parallel state of XState. The cost of a parallel state grows
 * with the square of its branches, so wider forks use one join actor.
 */
const WIDEST_PARALLEL = 16;

const childState = ({ block, row, kind }: { block: GraphBlock; row: number; kind: 'CALL' | 'FORK' }): string =>
  `${block.id}@${kind}:${row}`;

const haltState = (block: GraphBlock): string => `${block.id}@HALT`;
const errorState = (block: GraphBlock): string => `${block.id}@ERROR`;

/**
 * A block together with the ids of all blocks of its node. An id alone does not reveal its node: `A___b` is `b` of
 * `A_`, or `_b` of `A`.
 */
interface OwnBlock extends GraphBlock {
  readonly own: ReadonlySet<BlockId>;
}

/**
 * Returns a transition to a block of this node, to a block of another node (which then replaces this node), or, for
 * null, back to the caller.
 */
function goTo(block: OwnBlock, to: BlockId | null, actions: readonly JsonValue[] = []): JsonObject {
  if (to !== null && !block.own.has(to))
    return { target: '@jump', actions: [...actions, { type: 'landAt', params: { block: to } }] };
  return { target: to ?? '@return', reenter: true, ...(actions.length === 0 ? {} : { actions }) };
}

function follow(block: OwnBlock, { action, row }: Transition): JsonObject {
  switch (action.kind) {
    case 'jump':
      return goTo(block, action.target);
    case 'call':
      return { target: childState({ block, row, kind: 'CALL' }) };
    case 'fork':
      return { target: childState({ block, row, kind: 'FORK' }) };
    case 'return':
      return goTo(block, null);
    case 'halt':
      return { target: haltState(block) };
  }
}

/** Converts a row to a transition. It needs a guard if its signal has several rows or the row has a condition. */
function guarded(block: OwnBlock, transition: Transition, alone: boolean): JsonObject {
  const step = follow(block, transition);
  if (alone) return step;
  const { row, condition } = transition;
  const params: JsonObject =
    condition === null ? { row } : { row, condition: { id: condition.id, args: condition.args } };
  return { guard: { type: 'row', params }, ...step };
}

function table(block: OwnBlock): JsonObject {
  const bySignal = new Map<string, Transition[]>();
  for (const transition of block.transitions) {
    const rows = bySignal.get(transition.signal);
    if (rows === undefined) bySignal.set(transition.signal, [transition]);
    else rows.push(transition);
  }
  const rows = [...bySignal].map(([signal, transitions]): [string, JsonValue] => {
    const [only] = transitions;
    return only !== undefined && transitions.length === 1 && only.condition === null
      ? [signal, guarded(block, only, true)]
      : [signal, transitions.map((transition) => guarded(block, transition, false))];
  });
  return Object.fromEntries(rows);
}

const failedChild = (error: string, failed: string): readonly JsonObject[] => [
  { guard: 'childEndsRun', target: failed, actions: ['failWithChild'] },
  { guard: 'childFailed', target: error, actions: ['takeFailure'] },
];

const callState = (block: OwnBlock, action: Extract<Action, { kind: 'call' }>): JsonObject => ({
  entry: [{ type: 'openChild', params: {} }],
  invoke: {
    id: 'call',
    src: '@frame',
    input: { $call: action.node },
    onDone: [...failedChild(errorState(block), '@failed'), goTo(block, action.returnTo, ['takeReturn'])],
  },
});

function branchRegion(block: GraphBlock, node: string, branch: number): JsonObject {
  const at = (state: string): string => `#${block.node}.${state}`;
  return {
    initial: 'run',
    states: {
      run: {
        invoke: {
          id: `branch ${branch}`,
          src: '@frame',
          input: { $branch: { node, branch } },
          onDone: [
            ...failedChild(at(errorState(block)), at('@failed')),
            { target: 'returned', actions: [{ type: 'keepBranch', params: { branch } }] },
          ],
        },
      },
      returned: { type: 'final' },
    },
  };
}

function forkState(block: OwnBlock, { nodes, returnTo }: Extract<Action, { kind: 'fork' }>): JsonObject {
  const entry = [{ type: 'openChild', params: { branches: nodes } }];
  const onJoin = goTo(block, returnTo, ['joinBranches']);
  if (nodes.length > WIDEST_PARALLEL)
    return {
      entry,
      invoke: {
        id: 'join',
        src: '@join',
        input: { $fork: nodes },
        onDone: [...failedChild(errorState(block), '@failed'), onJoin],
      },
    };
  const regions = nodes.map((node, branch): [string, JsonObject] => [
    `branch ${branch}`,
    branchRegion(block, node, branch),
  ]);
  return { type: 'parallel', entry, states: Object.fromEntries(regions), onDone: onJoin };
}

function blockStates(block: OwnBlock): [string, JsonObject][] {
  const on = table(block);
  const input = { $visit: block.id };
  const states: [string, JsonObject][] = [[block.id, { entry: [{ type: 'visit', params: { block: block.id } }], on }]];
  for (const { action, row } of block.transitions) {
    if (action.kind === 'call') states.push([childState({ block, row, kind: 'CALL' }), callState(block, action)]);
    if (action.kind === 'fork') states.push([childState({ block, row, kind: 'FORK' }), forkState(block, action)]);
  }
  if (block.transitions.some(({ action }) => action.kind === 'halt'))
    states.push([
      haltState(block),
      {
        invoke: { id: 'person', src: '@person', input },
        on: { '@retry': { target: block.id, actions: ['visitAgain'] }, '@next': goTo(block, block.next) },
      },
    ]);
  if (block.transitions.some(({ action }) => action.kind === 'call' || action.kind === 'fork'))
    states.push([errorState(block), { invoke: { id: 'visit', src: '@childFailure', input }, on }]);
  return states;
}

/** Converts a node to one machine. Its states are its blocks, their calls and forks, and the waits for a person. */
export function emitNode(node: GraphNode): MachineConfig {
  const own = new Set(node.blocks.map(({ id }) => id));
  const landings = node.blocks.map(({ id }): [string, JsonObject] => [`@enter:${id}`, { target: id }]);
  return {
    id: node.id,
    context: '$frame',
    output: '$output',
    invoke: { id: 'visits', src: '@visits', input: { $body: true } },
    initial: '@enter',
    on: {
      '@jump': [{ guard: 'landsInThisNode', target: '.@enter' }, { target: '.@jump' }],
      '@return': { target: '.@return' },
      '@failed': { target: '.@failed' },
    },
    states: {
      '@enter': { entry: ['enterLanding'], on: Object.fromEntries(landings) },
      ...Object.fromEntries(node.blocks.flatMap((block) => blockStates({ ...block, own }))),
      '@return': { type: 'final' },
      '@jump': { type: 'final', entry: ['becomeOtherNode'] },
      '@failed': { type: 'final' },
    },
  };
}
