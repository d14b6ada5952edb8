import type { Frame, Visit } from '#machines/run/state.ts';
import { appendSegments } from '#machines/run/payload-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { segmentOf } from '#machines/run/visit.ts';

/** Adds a person's guidance to the payload, as a segment of the visit to which it refers. */
export function addGuidance(
  frame: Frame,
  visit: Visit,
  guidance: string | undefined,
  when: number,
  meta: JsonObject = {},
): void {
  if (guidance === undefined || guidance === '') return;
  const segment = segmentOf(visit, { type: 'HUMAN_GUIDANCE', content: guidance, meta }, when);
  frame.payload = appendSegments(frame.payload, [segment]);
}
