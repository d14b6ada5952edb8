import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Claims of notices, shared by all windows of the user. */
export interface NoticeClaims {
  /** Returns true for the first window that claims the notice with this key, false for all others. */
  claim(key: string): Promise<boolean>;
}

/** The time after which a claim is removed. No window shows notices of events that are this old. */
const KEPT_MS = 7 * 24 * 3_600_000;

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const { mtimeMs } = await stat(file);
    if (now - mtimeMs > KEPT_MS) await rm(file, { force: true });
  }
}

const isThere = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';

/**
 * Creates claims as empty files with exclusive names: VS Code has no state that one window can test and set before
 * another one. If the folder can't be written, every claim succeeds: a duplicate notice is better than none.
 */
export function noticeClaims(folder: string, project: string, now: () => number): NoticeClaims {
  let prepared: Promise<unknown> | null = null;
  const prepare = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    // Another window may remove the same files at the same time.
    await removeOld(folder, now()).catch(() => undefined);
  };
  return {
    claim: async (key) => {
      const name = createHash('sha256').update(`${project}\n${key}`).digest('hex');
      try {
        await (prepared ??= prepare());
        await writeFile(path.join(folder, name), '', { flag: 'wx' });
        return true;
      } catch (thrown) {
        return !isThere(thrown);
      }
    },
  };
}
