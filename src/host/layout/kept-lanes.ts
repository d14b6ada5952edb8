import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LANE_LAYOUT_VERSION, type LaneGeometry, type LaneShape, readGeometry } from '#layout/index.ts';

/** Stores lane layouts on disk, in a folder that several processes may share. */
interface KeptLanes {
  /** Returns null if the file does not exist, or if it was damaged and has been removed. */
  read(shape: LaneShape): Promise<LaneGeometry | null>;
  /** Never rejects: without a writable folder, layouts are computed each time. */
  write(shape: LaneShape, geometry: LaneGeometry): Promise<void>;
}

/** The maximum number of files kept. Beyond it, the least recently used ones are removed. */
const MOST_FILES = 2_000;
/** How often the folder is checked: after this many written files. */
const CHECK_AFTER = 100;
/** The maximum size of a file in bytes. A lane of 1,000 blocks takes about 200 KB. */
const MOST_BYTES = 4_000_000;
/** The time of last use is written at most once in this period. */
const TOUCH_MS = 24 * 3_600_000;

const nameOf = (shape: LaneShape): string =>
  `${createHash('sha256')
    .update(JSON.stringify([LANE_LAYOUT_VERSION, shape]))
    .digest('hex')}.json`;

/** `now`: the time in milliseconds since the epoch. */
export function keptLanes(folder: string, now: () => number): KeptLanes {
  let written = 0;
  return {
    read: async (shape) => {
      const file = path.join(folder, nameOf(shape));
      const geometry = readGeometry(await textOf(file), shape);
      if (geometry === null) await rm(file, { force: true }).catch(() => undefined);
      else await touch(file, now());
      return geometry;
    },
    write: async (shape, geometry) => {
      const text = JSON.stringify(geometry);
      if (text.length > MOST_BYTES) return;
      await replaceFile(folder, nameOf(shape), text).catch(() => undefined);
      if (written % CHECK_AFTER === 0) await removeOldest(folder, MOST_FILES).catch(() => undefined);
      written += 1;
    },
  };
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    return size > MOST_BYTES ? '' : await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

async function touch(file: string, now: number): Promise<void> {
  try {
    const { mtimeMs } = await stat(file);
    if (now - mtimeMs > TOUCH_MS) await utimes(file, now / 1000, now / 1000);
  } catch {
    // Another process may have removed the file.
  }
}

/** Replaces the file atomically, without fsync: a torn file is recognised and removed. */
async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = path.join(folder, `${name}.${randomUUID()}.tmp`);
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, path.join(folder, name));
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}

async function removeOldest(folder: string, most: number): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= most) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, usedAt: (await stat(file).catch(() => ({ mtimeMs: 0 }))).mtimeMs };
    }),
  );
  files.sort((a, b) => a.usedAt - b.usedAt);
  for (const { file } of files.slice(0, names.length - most)) await rm(file, { force: true });
}
