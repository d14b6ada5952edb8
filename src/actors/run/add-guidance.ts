import type { Frame, Visit } from '#machines/run/state.ts';
import { appendSegments } from '#machines/run/payload-log.ts';
import { segmentOf } from '#machines/run/visit.ts';

/** A person's word to the workers, as a segment of the visit that it is about (spec/engine.md "Halts"; decision record, 20). */
export function addGuidance(frame: Frame, visit: Visit, guidance: string | undefined, when: number): void {
  if (guidance === undefined || guidance === '') return;
  const segment = segmentOf(visit, { type: 'HUMAN_GUIDANCE', content: guidance }, when);
  frame.payload = appendSegments(frame.payload, [segment]);
}
