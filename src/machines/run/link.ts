import { type AnyActorLogic, type AnyStateMachine, createMachine } from 'xstate';
import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { openChildFrame } from './frame.ts';
import type { Frame } from './state.ts';
import { ACTIONS, type FrameContext, type FrameOutput, GUARDS, outputOf } from './implementations.ts';
import { joinLogic, type JoinInput } from './join.logic.ts';
import { personLogic } from './person.logic.ts';
import { childFailureLogic, type VisitInput, visitsLogic } from './visit.logic.ts';

interface LinkedWorkflow {
  /** The root machine of a run; its input is `{ frame }`. */
  readonly frame: AnyStateMachine;
  /** Returns a node's machine, built on first use. */
  node(id: NodeId): AnyStateMachine;
}

interface In {
  readonly context: FrameContext;
}

const child = (frame: Frame, node: NodeId, branch: number | null): Frame => {
  if (frame.visit === null) throw new RangeError('a child is opened by a visit');
  return openChildFrame(frame, frame.visit, node, branch);
};

/** The functions behind the `$` markers of a config. XState can't refer to such functions by name. */
const INPUTS = {
  $visit:
    (block: BlockId) =>
    ({ context }: In): VisitInput => ({ frame: context.frame, block }),
  $body:
    () =>
    ({ context }: In): FrameContext => ({ frame: context.frame }),
  $call:
    (node: NodeId) =>
    ({ context }: In): FrameContext => ({ frame: child(context.frame, node, null) }),
  $branch:
    ({ node, branch }: { node: NodeId; branch: number }) =>
    ({ context }: In): FrameContext => ({ frame: child(context.frame, node, branch) }),
  $fork:
    (nodes: readonly NodeId[]) =>
    ({ context }: In): JoinInput => ({ frame: context.frame, nodes }),
};

const MARKERS: Readonly<Record<string, (value: never) => unknown>> = INPUTS;

const frameContext = ({ input }: { input: FrameContext }): FrameContext => ({ frame: input.frame });
const frameOutput = ({ context }: In): FrameOutput => outputOf(context.frame);

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fillInput(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const [marker] = Object.entries(input);
  const fill = marker === undefined ? undefined : MARKERS[marker[0]];
  return marker === undefined || fill === undefined ? input : fill(marker[1] as never);
}

function fillState(state: Json): Json {
  const { invoke, states } = state;
  return {
    ...state,
    ...(isRecord(invoke) ? { invoke: { ...invoke, input: fillInput(invoke['input']) } } : {}),
    ...(isRecord(states) ? { states: fillStates(states) } : {}),
  };
}

const fillStates = (states: Json): Json =>
  Object.fromEntries(Object.entries(states).map(([name, state]) => [name, isRecord(state) ? fillState(state) : state]));

/** Replaces the `$` markers of a config by functions, for `createMachine`. */
const fill = (config: MachineConfig): Json => ({
  ...fillState(config),
  context: frameContext,
  output: frameOutput,
});

/** Maximum number of microsteps of a machine in one transition; XState has no limit by default. */
const MAX_MICROSTEPS = 10_000;

type Linkable = Pick<CompiledWorkflow, 'frame' | 'config' | 'graph'>;

const linked = new WeakMap<Linkable, LinkedWorkflow>();

/**
 * Creates XState machines from configs and one registry of implementations. All runs of a workflow share these
 * machines; only the frame that a machine starts with differs. `createMachine` keeps the registry by reference, so
 * machines that are created later are found by name.
 */
export function link(workflow: Linkable): LinkedWorkflow {
  const known = linked.get(workflow) ?? linkAnew(workflow);
  linked.set(workflow, known);
  return known;
}

function linkAnew(workflow: Linkable): LinkedWorkflow {
  const machines = new Map<string, AnyStateMachine>();
  const actors: Record<string, AnyActorLogic> = {
    '@visits': visitsLogic,
    '@person': personLogic,
    '@childFailure': childFailureLogic,
    '@join': joinLogic(() => frame()),
  };
  const registry = { actors, actions: ACTIONS, guards: GUARDS };
  const build = (config: MachineConfig): AnyStateMachine =>
    createMachine({ ...fill(config), options: { maxIterations: MAX_MICROSTEPS } } as never, registry as never);
  const made = (name: string, config: () => MachineConfig): AnyStateMachine => {
    const known = machines.get(name);
    if (known !== undefined) return known;
    const machine = build(config());
    machines.set(name, machine);
    return machine;
  };
  const node = (id: NodeId): AnyStateMachine => made(id, () => workflow.config(id));
  const frame = (): AnyStateMachine => made('@frame', () => workflow.frame);
  const lazily = (name: string, logic: () => AnyActorLogic) =>
    Object.defineProperty(actors, name, { enumerable: true, get: logic });
  for (const { id } of workflow.graph.nodes) lazily(id, () => node(id));
  lazily('@frame', frame);
  return {
    get frame() {
      return frame();
    },
    node,
  };
}
