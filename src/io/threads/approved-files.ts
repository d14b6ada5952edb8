import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { RoboSmithError } from '#protocol/error.ts';

/** The files of code that a user has approved for one module. A thread and its descendants load no other file. */
export interface ApprovedFiles {
  /** The real path of the project, to which messages are relative. */
  readonly root: string;
  /** The SHA-256 of each file in hex, by its real path. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** The key under which the threads that a thread starts inherit its approved files. */
const INHERITED = 'robosmith.approved-files';

/** Restricts this thread, and every thread that it starts from now on, to these files. */
export const restrictTo = (approved: ApprovedFiles): void => setEnvironmentData(INHERITED, { ...approved });

/** Returns the approved files of this thread; null while it is not restricted. */
export const approvedFiles = (): ApprovedFiles | null =>
  (getEnvironmentData(INHERITED) as unknown as ApprovedFiles | undefined) ?? null;

const NEXT = ['robosmith registry check'];

function refuse(file: string, root: string, isListed: boolean): never {
  const name = path.relative(root, file).split(path.sep).join('/');
  const message = isListed
    ? `${name} has changed since it was approved. Approve it again with robosmith registry check.`
    : `${name} is not among the files that were approved for this module. ` +
      `Add it to "$files" in .flow/flow.registry.json, and approve it with robosmith registry check.`;
  throw new RoboSmithError('module_not_approved', message, { path: name, next: NEXT });
}

/** Reads a file of code. Throws `module_not_approved` unless its content was approved. */
export function readApproved(file: string, { root, hashes }: ApprovedFiles): Buffer {
  const real = realpathSync.native(file);
  const approved = hashes.get(real);
  if (approved === undefined) return refuse(real, root, false);
  const bytes = readFileSync(real);
  return createHash('sha256').update(bytes).digest('hex') === approved ? bytes : refuse(real, root, true);
}
