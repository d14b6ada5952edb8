import { isObject, parseJsonObject } from '#protocol/json.ts';
import type { TaskRecord } from '#protocol/task-tree.ts';

/** The hash of the content that the engine last wrote to a file. */
export interface FileRecord {
  readonly sha256: string;
  /** The hash of the content that the engine was about to write when it was interrupted. */
  readonly next?: string;
}

/** The content of `.flow/status.meta`. */
export interface StatusMeta {
  readonly files: Readonly<Record<string, FileRecord>>;
  /** Records by the task's key. */
  readonly tasks: Readonly<Record<string, TaskRecord>>;
  /** The files that the user has zoomed into, from the root file on. An empty list means the whole tree. */
  readonly scope: readonly string[];
}

export const META_FILE = 'status.meta';

export const NO_META: StatusMeta = { files: {}, tasks: {}, scope: [] };

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isFileRecord = (value: unknown): value is FileRecord =>
  isObject(value) && isHash(value['sha256']) && (value['next'] === undefined || isHash(value['next']));

const isTaskRecord = (value: unknown): value is TaskRecord =>
  isObject(value) &&
  (value['run'] === null || typeof value['run'] === 'string') &&
  typeof value['counted'] === 'boolean' &&
  Number.isSafeInteger(value['failures']) &&
  (value['executions'] === undefined || Number.isSafeInteger(value['executions']));

const allAre = <Value>(value: unknown, is: (one: unknown) => one is Value): value is Readonly<Record<string, Value>> =>
  isObject(value) && Object.values(value).every(is);

/** Returns null if the file is damaged. */
export function decodeMeta(bytes: Uint8Array): StatusMeta | null {
  const kept = parseJsonObject(Buffer.from(bytes).toString());
  if (kept?.['version'] !== 1) return null;
  const { files, tasks, scope } = kept;
  const isScope = Array.isArray(scope) && scope.every((one): one is string => typeof one === 'string');
  if (!isScope || !allAre<FileRecord>(files, isFileRecord) || !allAre<TaskRecord>(tasks, isTaskRecord)) return null;
  return { files, tasks, scope };
}

export const encodeMeta = (meta: StatusMeta): Uint8Array =>
  Buffer.from(`${JSON.stringify({ version: 1, ...meta }, null, 2)}\n`);
