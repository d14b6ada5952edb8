import { RoboSmithError } from '#protocol/error.ts';
import type { Access } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Files, FilesToWrite, FileToCompare, FileToWrite } from '#protocol/services.ts';
import { accessCheck, whyNothing } from './write-access.ts';

export interface WriteRefusal extends JsonObject {
  readonly path: string;
  readonly reason: string;
  readonly code: 'access_denied' | 'unsafe_path' | 'content_changed';
}

/** Writes files within a block's access. All built-in workers write files through this service. */
export interface WriteService {
  /** Returns the path after resolving links, or a refusal if the block may not write there. */
  locate(path: string): Promise<{ readonly real: string } | WriteRefusal>;
  /**
   * Writes all files or none. Returns the refusals, or an empty list on success. `again` is called if a file has
   * changed since it was read; the files that it returns must be among `files` and `compared`.
   */
  write(
    files: readonly FileToWrite[],
    compared?: readonly FileToCompare[],
    again?: () => Promise<FilesToWrite | null>,
  ): Promise<readonly WriteRefusal[]>;
}

/** Converts an unsafe path or changed content error to a refusal. Other errors are thrown again. */
function refusedBy(thrown: unknown): WriteRefusal {
  const isRule = RoboSmithError.is(thrown, 'unsafe_path') || RoboSmithError.is(thrown, 'content_changed');
  if (!isRule) throw thrown;
  const { path, why } = thrown.data;
  return {
    path: typeof path === 'string' ? path : '',
    reason: typeof why === 'string' ? why : thrown.message,
    code: thrown.code === 'unsafe_path' ? 'unsafe_path' : 'content_changed',
  };
}

const denied = (path: string, reason: string): WriteRefusal => ({ path, reason, code: 'access_denied' });

export function writeService(files: Files, access: Access): WriteService {
  const nothing = whyNothing(access);
  let check: ReturnType<typeof accessCheck> | null = null;

  const locate: WriteService['locate'] = async (path) => {
    if (nothing !== null) return denied(path, nothing);
    check ??= accessCheck(access, 'answer', await files.ignoresCase(), (await files.hooksFolder?.()) ?? null);
    try {
      const real = await files.locate(path);
      const reason = check(path, real);
      return reason === null ? { real } : denied(path, reason);
    } catch (thrown) {
      return refusedBy(thrown);
    }
  };

  return {
    locate,
    write: async (wanted, compared = [], again) => {
      const refused: WriteRefusal[] = [];
      const allowed: FileToWrite[] = [];
      for (const one of wanted) {
        const found = await locate(one.path);
        if ('reason' in found) refused.push(found);
        else allowed.push({ ...one, located: found.real });
      }
      if (refused.length > 0) return refused;
      try {
        await files.writeAll(allowed, compared, again);
        return [];
      } catch (thrown) {
        return [refusedBy(thrown)];
      }
    },
  };
}
