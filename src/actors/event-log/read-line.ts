import type { BlobReference, LoggedEvent } from '#protocol/event-line.ts';
import type { RunId } from '#protocol/id.ts';
import { hasEventHead, toLine } from './write-as-line.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

/** Returns the text that every line of a run contains. */
export const runMark = (run: RunId): string => `"run_id":${toLine(run)}`;

/** Reads a line; null for a torn or damaged one. */
export function readLine(text: string): LoggedEvent | null {
  const value = nullIfItThrows(() => JSON.parse(text) as unknown);
  return typeof value === 'object' && value !== null && hasEventHead(value) ? (value as LoggedEvent) : null;
}

/** Matches names of blobs. Other names are ignored, because they could lead out of the folder. */
const BLOB_NAME = /^blob_[\w-]+[.]json$/;

/** Returns the blob that holds an event's payload. */
export function blobOf(event: LoggedEvent): BlobReference | null {
  const payload: unknown = 'payload' in event ? event.payload : null;
  if (typeof payload !== 'object' || payload === null) return null;
  const { type, ref } = payload as Partial<Readonly<Record<keyof BlobReference, unknown>>>;
  return type === 'blob_ref' && typeof ref === 'string' && BLOB_NAME.test(ref) ? (payload as BlobReference) : null;
}
