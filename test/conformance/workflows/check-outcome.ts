import { expect } from 'vitest';
import type { MemoryView, OutcomeSegment, RunOutcome } from '../../reference/run-outcome.ts';
import type { ExpectedMemory, ExpectedSegment, Expectation } from './conformance-case.ts';
import { impliedParts, pathLine } from './path-line.ts';

const expectedSegment = ({ type, content, source }: OutcomeSegment): ExpectedSegment => ({
  type,
  content,
  source: source === null ? null : `${source.block}#${String(source.visit)}`,
});

const segmentText = ({ type, content }: OutcomeSegment): string => `${type} ${content}`;

const actualMemory = (wanted: ExpectedMemory, memory: MemoryView): Partial<ExpectedMemory> => {
  const all: Required<ExpectedMemory> = {
    at: wanted.at,
    payload: memory.payload.map(segmentText),
    inherited: memory.inherited,
    signals: memory.contract.signals,
    persona: memory.contract.persona,
    contract: memory.contract.contract,
    exports: memory.exports,
    returned: memory.returned,
  };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in wanted));
};

/**
 * Returns whether a memory belongs to a place such as `Main__one#1`, `Main__one#1@2` (second attempt) or `/Main__one#1
 * Sub__work#1` (in a frame).
 */
const isAt = (at: string, memory: MemoryView): boolean => {
  const [place = '', frame] = at.split(' ').reverse();
  const [visit = '', attempt = '1'] = place.split('@');
  return (
    visit === `${memory.block}#${String(memory.visit)}` &&
    Number(attempt) === memory.attempt &&
    (frame === undefined || frame === memory.frame)
  );
};

const checkMemory = (expected: readonly ExpectedMemory[], memories: readonly MemoryView[]): void => {
  for (const wanted of expected) {
    const memory = memories.find((one) => isAt(wanted.at, one));
    expect(memory, `no memory for ${wanted.at}`).toBeDefined();
    if (memory !== undefined) expect(actualMemory(wanted, memory)).toEqual(wanted);
  }
};

export const checkOutcome = (expected: Expectation, outcome: RunOutcome, memories: readonly MemoryView[]): void => {
  const seen = { success: outcome.success, reason: outcome.reason, path: outcome.path.map(pathLine) };
  expect(seen).toEqual({ success: expected.success, reason: expected.reason, path: expected.path ?? seen.path });
  for (const entry of outcome.path) expect(entry).toMatchObject(impliedParts(entry));
  if (expected.details !== undefined) expect(outcome.details).toMatchObject(expected.details);
  if (expected.payload !== undefined) expect(outcome.payload.map(expectedSegment)).toEqual(expected.payload);
  if (expected.exports !== undefined) expect(outcome.exports).toEqual(expected.exports);
  if (expected.steps !== undefined) expect(outcome.steps).toBe(expected.steps);
  if (expected.depth !== undefined) expect(outcome.depth).toBe(expected.depth);
  if (expected.last_block !== undefined) expect(outcome.lastBlock).toBe(expected.last_block);
  if (expected.memory !== undefined) checkMemory(expected.memory, memories);
};
