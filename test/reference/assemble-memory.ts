import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame, Visit } from './frame.ts';
import type { ProgramBlock } from './program.ts';
import { outcomeSegment, type MemoryView } from './run-outcome.ts';
import { viewOf } from './view-of.ts';

/** Returns the static memory of a frame and its ancestors up to the next boundary; nearer frames take precedence. */
const visibleStaticMemory = (frame: Frame): JsonObject => {
  const visible: Record<string, JsonValue> = {};
  for (let level: Frame | null = frame; level !== null; level = level.node.inherits ? level.parent : null) {
    for (const [key, value] of Object.entries(level.node.staticMemory)) {
      if (!Object.hasOwn(visible, key)) visible[key] = value;
    }
  }
  return visible;
};

export const handledSignals = ({ rows }: ProgramBlock): readonly string[] => [
  ...new Set(rows.map((row) => row.signal)),
];

export const assembleMemory = (frame: Frame, visit: Visit): MemoryView => {
  const visible = visibleStaticMemory(frame);
  const { block } = visit;
  const view = viewOf(block.strategy, { node: block.node, payload: frame.payload, exports: frame.exports, visible });
  const layer = visit.repaired ?? view.payload;
  const signals = handledSignals(block).filter((signal) => signal !== 'SIGNAL:FAIL_DEFAULT');
  return {
    block: block.id,
    visit: visit.number,
    attempt: visit.attempts,
    frame: frame.path,
    payload: layer.map(outcomeSegment),
    contract: { persona: block.worker.persona, contract: block.contract, signals },
    inherited: Object.fromEntries(Object.entries(visible).filter(([key]) => !view.taken.has(key))),
    exports: Object.fromEntries(frame.exports),
    returned: frame.returned,
  };
};
