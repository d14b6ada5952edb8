import { randomUUID } from 'node:crypto';
import { chmod, glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Files } from '#protocol/services.ts';
import { checkRelativePath, safePath } from './safe-path.ts';

interface Pending {
  readonly target: string;
  readonly temporary: string;
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

async function modeOf(target: string): Promise<number | null> {
  try {
    return (await stat(target)).mode & 0o7777;
  } catch {
    return null;
  }
}

async function stage(root: string, file: { readonly path: string; readonly content: string }): Promise<Pending> {
  const target = await safePath(root, file.path);
  await mkdir(path.dirname(target), { recursive: true });
  const temporary = path.join(path.dirname(target), `.robosmith-${randomUUID()}.tmp`);
  await writeFile(temporary, file.content, { flag: 'wx' });
  const mode = await modeOf(target);
  if (mode !== null) await chmod(temporary, mode);
  return { target, temporary };
}

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
    writeAll: async (files) => {
      for (const { path: input } of files) checkRelativePath(input);
      const staged: Pending[] = [];
      try {
        for (const file of files) staged.push(await stage(root, file));
        for (const { target, temporary } of staged) await rename(temporary, target);
      } catch (thrown) {
        await Promise.all(staged.map(({ temporary }) => rm(temporary, { force: true })));
        throw thrown;
      }
    },
    glob: async (patterns) => {
      const found = new Set<string>();
      for (const pattern of patterns) {
        checkRelativePath(pattern);
        for await (const entry of glob(pattern, { cwd: root, withFileTypes: true }))
          if (entry.isFile())
            found.add(path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
      }
      return [...found].sort();
    },
  };
}
