import type { Draft, Frame, StoredSegment, Visit } from './frame.ts';
import type { Result } from './scripted-execution.ts';

const storedSegment = (visit: Visit, draft: Draft): StoredSegment => {
  visit.segments += 1;
  return {
    id: `${visit.key}.${String(visit.segments)}`,
    type: draft.type,
    content: draft.content,
    source: { block: visit.block.id, visit: visit.number },
    meta: draft.meta ?? {},
  };
};

export const appendSegments = (frame: Frame, visit: Visit, drafts: readonly Draft[]): void => {
  if (drafts.length > 0) frame.payload = [...frame.payload, ...drafts.map((draft) => storedSegment(visit, draft))];
};

/**
 * Replaces the payload. A draft with the id of an existing segment keeps that segment's identity (point 18 of
 * docs/decisions/2026-11-21-run-semantics.md).
 */
const replacePayload = (frame: Frame, visit: Visit, drafts: readonly Draft[]): void => {
  const known = new Map(frame.payload.map((segment) => [segment.id, segment]));
  frame.payload = drafts.map((draft) => {
    const kept = known.get(draft.id ?? '');
    return kept === undefined ? storedSegment(visit, draft) : { ...kept, type: draft.type, content: draft.content };
  });
};

export const applyResult = (frame: Frame, visit: Visit, result: Result): void => {
  if (result.payload !== null) replacePayload(frame, visit, result.payload);
  if (result.append !== null) appendSegments(frame, visit, result.append);
  if (result.exports.size > 0) {
    frame.exports = new Map([...frame.exports, ...result.exports]);
    frame.written = new Map([...frame.written, ...result.exports]);
  }
};

/**
 * Stores the first memory layer of the request that a repair produced (point 12 of
 * docs/decisions/2026-11-21-run-semantics.md).
 */
export const repairLayer = (visit: Visit, result: Result): void => {
  const source = { block: visit.block.id, visit: visit.number };
  const made = (result.payload ?? result.append ?? []).map(({ type, content }) => ({ type, content, source }));
  visit.repaired = result.payload === null ? [...visit.layer, ...made] : made;
};

/** Ends a CALL: the callee's payload and exports replace those of the caller. */
export const takeReturn = (caller: Frame, callee: Frame): void => {
  caller.payload = callee.payload;
  caller.exports = callee.exports;
  caller.written = new Map([...caller.written, ...callee.written]);
};

/** Ends a FORK: appends the new segments of each branch, in the order in which the FORK lists the branches. */
export const joinBranches = (caller: Frame, branches: readonly Frame[]): void => {
  const ids = new Set(caller.payload.map((segment) => segment.id));
  const payload = [...caller.payload];
  for (const branch of branches) {
    const added = branch.payload.filter((segment) => !ids.has(segment.id));
    for (const segment of added) ids.add(segment.id);
    payload.push(...added);
    caller.exports = new Map([...caller.exports, ...branch.written]);
    caller.written = new Map([...caller.written, ...branch.written]);
  }
  caller.payload = payload;
};
