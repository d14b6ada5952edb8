import type { BlobReference, LoggedEvent } from '#protocol/event-line.ts';
import type { RunId } from '#protocol/id.ts';
import { hasEventHead } from './event-head.ts';
import { unlessItThrows } from './unless-it-throws.ts';
import { toLine } from './write-as-line.ts';

/** What every line of a run holds. */
export const runMark = (run: RunId): string => `"run_id":${toLine(run)}`;

/** Null where the text is no event: a torn or damaged line. */
export function readLine(text: string): LoggedEvent | null {
  const value = unlessItThrows(() => JSON.parse(text) as unknown);
  return typeof value === 'object' && value !== null && hasEventHead(value) ? (value as LoggedEvent) : null;
}

/** What leads out of the folder, in a log that somebody wrote into, is no name of ours. */
const BLOB_NAME = /^blob_[\w-]+[.]json$/;

/** The blob that an event's payload is in. */
export function blobOf(event: LoggedEvent): BlobReference | null {
  const payload: unknown = 'payload' in event ? event.payload : null;
  if (typeof payload !== 'object' || payload === null) return null;
  const { type, ref } = payload as Partial<Readonly<Record<keyof BlobReference, unknown>>>;
  return type === 'blob_ref' && typeof ref === 'string' && BLOB_NAME.test(ref) ? (payload as BlobReference) : null;
}
