import fs from 'node:fs';
import type { FileCalls } from '#protocol/file-calls.ts';

const ON_WINDOWS = process.platform === 'win32';

/** The permissions of the engine's state: only its owner may read it, because it holds what models and people wrote. */
const FILE_MODE = 0o600;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;

/**
 * The flags for opening a file to write. They prevent writes to a symbolic link or a pipe that a project ships in place
 * of a state file. Windows has no such flags.
 */
const FLAGS = {
  a: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  wx: O_WRONLY | O_CREAT | O_EXCL,
  'r+': O_RDWR | O_NOFOLLOW | O_NONBLOCK,
} as const;

/** The flags for opening a file to read. Symbolic links are followed, because users may link their own files. */
const READ = O_RDONLY | O_NONBLOCK;

/** Returns whether reading failed because the path is a folder. Node's error does not name the path. */
const isAFolder = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR' && !('path' in thrown);

function read(path: string): Uint8Array {
  try {
    return fs.readFileSync(path, { flag: READ });
  } catch (thrown) {
    if (isAFolder(thrown)) thrown.message += ` '${path}'`;
    throw thrown;
  }
}

/** Opens a file. If a mode is given, it is set exactly, regardless of the process's umask. */
const open: FileCalls['open'] = (path, flags, mode) => {
  const descriptor = fs.openSync(path, FLAGS[flags], FILE_MODE);
  try {
    if (mode !== undefined) fs.fchmodSync(descriptor, mode);
  } catch {
    // Ignored, because some file systems have no permissions. The file is written without them.
  }
  return descriptor;
};

/** The calls that use the real file system. */
export const fileCalls: FileCalls = {
  open,
  close: (descriptor) => fs.closeSync(descriptor),
  write: (descriptor, bytes, position) => fs.writeSync(descriptor, bytes, 0, bytes.length, position ?? null),
  datasync: (descriptor) => fs.fdatasyncSync(descriptor),
  datasyncAside: (descriptor) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    }),
  sync: (descriptor) => fs.fsyncSync(descriptor),
  truncate: (descriptor, size) => fs.ftruncateSync(descriptor, size),
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  makeFolder: (path) => void fs.mkdirSync(path, { recursive: true }),
  list: (path) => fs.readdirSync(path),
  read,
  stat: (path) => {
    const found = fs.statSync(path);
    const mode = ON_WINDOWS ? {} : { mode: found.mode & 0o777 };
    return { size: found.size, modifiedAt: found.mtimeMs, isFolder: found.isDirectory(), ...mode };
  },
  syncFolder: (path) => {
    if (ON_WINDOWS) return;
    const descriptor = fs.openSync(path, 'r');
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  },
};
