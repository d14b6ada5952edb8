import type { Artifact } from '#machines/run/assemble-memory.ts';
import type { Outbound } from '#protocol/outbound.ts';
import type { Files } from '#protocol/services.ts';
import type { ArtifactFile } from '#protocol/worker.ts';

const isPattern = (path: string): boolean => /[*?[{]/.test(path);

/**
 * Returns the function that reads memory layer 4: the files that `artifact` names, sorted within each pattern. A
 * missing literal path has null content. Files that must not be sent are not read: they are skipped for patterns and
 * reported for literal paths.
 */
export const artifactReader =
  (files: Files, outbound: Outbound | null) =>
  async (patterns: readonly string[]): Promise<Artifact> => {
    const mayLeave = async (path: string): Promise<boolean> => outbound === null || outbound.mayLeave(path);
    const paths = new Map<string, boolean>();
    for (const pattern of patterns)
      if (!isPattern(pattern)) paths.set(pattern, await mayLeave(pattern));
      else for (const path of await files.glob([pattern])) if (await mayLeave(path)) paths.set(path, true);
    const read = async ([path, isRead]: readonly [string, boolean]): Promise<ArtifactFile> =>
      Object.freeze(isRead ? { path, content: await files.read(path) } : { path, content: null, keptBack: true });
    return Object.freeze({ files: Object.freeze(await Promise.all([...paths].map(read))), slices: Object.freeze([]) });
  };
