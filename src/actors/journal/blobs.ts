import { createHash } from 'node:crypto';
import path from 'node:path';
import { readIfThere, replaceFile } from '#io/files/durable-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { BlobRef } from '#protocol/journal.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { StepResult } from '#protocol/run.ts';

/** Data larger than this many bytes is stored in a file of its own beside the journal. */
const INLINE_BYTES = 8_192;

export interface BlobParts {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly newId: (bytes: number) => string;
}

export const blobFile = (folder: string, name: string): string => path.join(folder, 'blobs', name);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Stores a text under its hash. It is safe on disk when this returns. */
export function keepBlob({ calls, folder, newId }: BlobParts, text: string): BlobRef {
  const bytes = Buffer.from(text);
  const blob = sha256(bytes);
  const file = blobFile(folder, blob);
  const there = readIfThere(calls, file);
  // The folder is synced, because an engine may have died after it created the file and before it synced the folder. If
  // the content differs, the file is damaged and is written again.
  if (there !== null && bytes.equals(there)) calls.syncFolder(path.dirname(file));
  else {
    calls.makeFolder(path.dirname(file));
    replaceFile(calls, file, bytes, newId(6));
  }
  return { blob, bytes: bytes.length };
}

/** Returns a small value unchanged, and a large one as a reference to a blob. */
export function inlineOrBlob<Value>(parts: BlobParts, value: Value): Value | BlobRef {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) <= INLINE_BYTES ? value : keepBlob(parts, text);
}

/**
 * Returns an upper bound of a draft's characters as JSON, or infinity if a bound is not worth computing. An escaped
 * character takes up to six.
 */
const mostOf = (draft: SegmentDraft): number =>
  draft.meta === undefined ? 6 * (draft.type.length + draft.content.length + (draft.id?.length ?? 0)) + 50 : Infinity;

/** Returns whether a result surely stays inline, so that it need not be serialised twice. */
export function isSurelySmall(stepped: StepResult): boolean {
  if (stepped.kind !== 'done') return true;
  if (!stepped.outcome.ok) return false;
  const { append, payload, exports, stats, refusedExports, answerProblem } = stepped.outcome.result;
  if (payload !== null || answerProblem !== null || refusedExports.length > 0) return false;
  if (Object.keys(exports).length > 0 || Object.keys(stats).length > 0) return false;
  return append.reduce((sum, draft) => sum + mostOf(draft), 500) <= INLINE_BYTES;
}

export const isBlobRef = (value: object): value is BlobRef => 'blob' in value && 'bytes' in value;

/** Reads a blob. Throws `corrupt_state` if it is missing or has changed. */
export function readBlob({ calls, folder }: Pick<BlobParts, 'calls' | 'folder'>, { blob }: BlobRef): string {
  const file = blobFile(folder, blob);
  const bytes = readIfThere(calls, file);
  const fits = bytes !== null && sha256(bytes) === blob;
  if (!fits)
    throw new RoboSmithError('corrupt_state', `${file} ${bytes === null ? 'is missing' : 'has changed'}`, { file });
  return Buffer.from(bytes).toString();
}
