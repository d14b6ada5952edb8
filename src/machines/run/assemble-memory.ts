import type { MemorySizes } from '#protocol/event.ts';
import type { GraphBlock, MergeInstruction } from '#protocol/graph.ts';
import type { Signal } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Payload } from '#protocol/payload.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';
import type { BlockMemory, SystemMetadata } from '#protocol/worker.ts';
import type { Frame, Visit } from './state.ts';
import type { PayloadHold } from './payload-log.ts';
import { selectPayload } from './select-payload.ts';

/** The session, task and worktree of the run, for layer 5. */
export interface RunLocation {
  readonly session: string | null;
  readonly task: string | null;
  readonly worktree: string | null;
}

export type Artifact = BlockMemory['artifact'];

export const NO_ARTIFACT: Artifact = Object.freeze({ files: Object.freeze([]), slices: Object.freeze([]) });

/** The parts of a block's memory that are equal at every visit, made once per block. */
interface BlockConstants {
  readonly contract: BlockMemory['contract'];
  /** Static memory keys that are part of layer 1, so that layer 3 omits them. */
  readonly merged: ReadonlySet<string>;
}

const constants = new WeakMap<GraphBlock, Map<string | null, BlockConstants>>();

const isStatic = (instruction: MergeInstruction): instruction is Extract<MergeInstruction, { kind: 'static_memory' }> =>
  instruction.kind === 'static_memory';

const handledSignals = (block: GraphBlock): readonly Signal[] =>
  Object.freeze(
    [...new Set(block.transitions.map(({ signal }) => signal))].filter((signal) => signal !== FAIL_DEFAULT),
  );

function constantsOf(block: GraphBlock, persona: string | null): BlockConstants {
  const known = constants.get(block)?.get(persona);
  if (known !== undefined) return known;
  const made: BlockConstants = {
    contract: Object.freeze({ persona, contract: block.contract, signals: handledSignals(block) }),
    merged: new Set(block.mergeStrategy.filter(isStatic).map(({ key }) => key)),
  };
  const byPersona = constants.get(block) ?? new Map<string | null, BlockConstants>();
  constants.set(block, byPersona.set(persona, made));
  return made;
}

const omit = (memory: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  keys.size === 0
    ? memory
    : Object.freeze(Object.fromEntries(Object.entries(memory).filter(([key]) => !keys.has(key))));

interface MemoryParts {
  readonly persona: string | null;
  readonly artifact: Artifact;
  readonly whereabouts: RunLocation;
  /** Layer 1 of a repaired request; replaces the block's own view. */
  readonly payload: Payload | null;
  /** The stored payload when the execution began. */
  readonly stored: PayloadHold;
  readonly now: () => number;
}

function systemOf(frame: Frame, visit: Visit, { session, task, worktree }: RunLocation): SystemMetadata {
  return Object.freeze({
    run: frame.run.id,
    session,
    task,
    worktree,
    node: visit.block.node,
    block: visit.block.id,
    visit: visit.number,
    attempt: visit.attempts,
    step: visit.key,
    frame: frame.path,
  });
}

/** Assembles the five layers for one execution of a block, deeply frozen. */
export function assembleMemory(frame: Frame, visit: Visit, parts: MemoryParts): BlockMemory {
  const { block } = visit;
  const { contract, merged } = constantsOf(block, parts.persona);
  const { inherited, exports, returned } = frame;
  const { stored: payload, now } = parts;
  return Object.freeze({
    payload: parts.payload ?? selectPayload(block.mergeStrategy, { payload, inherited, exports, now }),
    contract,
    inherited: omit(inherited, merged),
    artifact: parts.artifact,
    system: systemOf(frame, visit, parts.whereabouts),
    exports,
    returned,
  });
}

export const sizesOf = (memory: BlockMemory): MemorySizes => ({
  payload: memory.payload.length,
  contract:
    memory.contract.signals.length +
    (memory.contract.persona === null ? 0 : 1) +
    (memory.contract.contract === null ? 0 : 1),
  inherited: Object.keys(memory.inherited).length,
  artifact: memory.artifact.files.length + memory.artifact.slices.length,
  system: Object.keys(memory.system).length,
});
