import { glob, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Files } from '#protocol/services.ts';
import { checkRelativePath, safePath } from './safe-path.ts';
import { writeAll } from './write-all.ts';

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** Real files below one root. */
export function createFiles(root: string): Files {
  return {
    root,
    read: async (input) => {
      try {
        return await readFile(await safePath(root, input), 'utf8');
      } catch (thrown) {
        if (isMissing(thrown)) return null;
        throw thrown;
      }
    },
    locate: async (input) => toPosix(path.relative(await realpath(root), await safePath(root, input))),
    writeAll: (files) => writeAll(root, files),
    glob: async (patterns) => {
      const found = new Set<string>();
      for (const pattern of patterns) {
        checkRelativePath(pattern);
        for await (const entry of glob(pattern, { cwd: root, withFileTypes: true }))
          if (entry.isFile()) found.add(toPosix(path.relative(root, path.join(entry.parentPath, entry.name))));
      }
      return [...found].sort();
    },
  };
}
