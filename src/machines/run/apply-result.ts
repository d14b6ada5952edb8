import type { Segment, SegmentDraft } from '#protocol/payload.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import type { Frame, Visit } from './state.ts';
import { appendSegments, holdPayload, payloadOf } from './payload-log.ts';
import { segmentOf } from './visit.ts';

/**
 * Creates segments from drafts. A draft that names a segment of the current payload keeps that segment's id, source and
 * time.
 */
function replacement(frame: Frame, visit: Visit, drafts: readonly SegmentDraft[], at: number): readonly Segment[] {
  const present = new Map<string, Segment>(payloadOf(frame.payload).map((segment) => [segment.id, segment]));
  return drafts.map((draft) => {
    const kept = draft.id === undefined ? undefined : present.get(draft.id);
    if (kept === undefined) return segmentOf(visit, draft, at);
    present.delete(kept.id);
    const { type, content, meta } = draft;
    return kept.type === type && kept.content === content && meta === undefined
      ? kept
      : Object.freeze({ ...kept, type, content, meta: meta ?? kept.meta });
  });
}

/**
 * Appends a step's segments to its frame's payload, or replaces the payload by them. `at` is the time of the segments.
 */
export function applySegments(
  frame: Frame,
  visit: Visit,
  result: Pick<CheckedResult, 'append' | 'payload'>,
  at: number,
): void {
  if (result.payload !== null) frame.payload = holdPayload(replacement(frame, visit, result.payload, at));
  else if (result.append.length > 0)
    frame.payload = appendSegments(
      frame.payload,
      result.append.map((draft) => segmentOf(visit, draft, at)),
    );
}

/** Merges a step's exports into those of its frame; a new value replaces an earlier one of the same name. */
export function applyExports(frame: Frame, visit: Visit, result: CheckedResult): void {
  if (result.refusedExports.length > 0)
    frame.run.record({ ...visit.scope, type: 'exports.refused', keys: result.refusedExports });
  if (Object.keys(result.exports).length === 0) return;
  frame.exports = Object.freeze({ ...frame.exports, ...result.exports });
  frame.written = Object.freeze({ ...frame.written, ...result.exports });
}
