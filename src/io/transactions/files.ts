import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Files } from '#protocol/services.ts';
import { readBytes } from './check-unchanged.ts';
import { globInside } from '../files/glob-inside.ts';
import { ignoresCase } from '../files/ignores-case.ts';
import { readInside } from '../files/open-inside.ts';
import { safePath } from '../files/safe-path.ts';
import { settle, writeAll } from './write-all.ts';

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** Creates the file service for one root on the real file system. */
export function createFiles(root: string): Files {
  return {
    root,
    read: async (input) => {
      try {
        return await readInside(root, input);
      } catch (thrown) {
        if (isMissing(thrown)) return null;
        throw thrown;
      }
    },
    readBytes: async (input, limit) => readBytes(input, await safePath(root, input), limit),
    settle: () => settle(root),
    ignoresCase: () => ignoresCase(root),
    locate: async (input) => toPosix(path.relative(await realpath(root), await safePath(root, input))),
    writeAll: (files, compared, again) => writeAll(root, files, compared, again),
    glob: async (patterns) => {
      const found = new Set<string>();
      const realRoot = await realpath(root);
      for (const pattern of patterns) for await (const file of globInside(realRoot, pattern)) found.add(file);
      return [...found].sort();
    },
  };
}
