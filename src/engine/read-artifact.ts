import type { Artifact } from '#machines/run/assemble-memory.ts';
import type { Files } from '#protocol/services.ts';
import type { ArtifactFile } from '#protocol/worker.ts';

const isPattern = (path: string): boolean => /[*?[{]/.test(path);

/** Layer 4: the files that `artifact` names, sorted inside each pattern; a literal path that is not there is null. */
export const artifactReader =
  (files: Files) =>
  async (patterns: readonly string[]): Promise<Artifact> => {
    const paths = new Set<string>();
    for (const pattern of patterns)
      for (const path of isPattern(pattern) ? await files.glob([pattern]) : [pattern]) paths.add(path);
    const read = async (path: string): Promise<ArtifactFile> =>
      Object.freeze({ path, content: await files.read(path) });
    return Object.freeze({ files: Object.freeze(await Promise.all([...paths].map(read))), slices: Object.freeze([]) });
  };
