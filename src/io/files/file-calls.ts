import fs from 'node:fs';
import type { FileCalls } from '#protocol/file-calls.ts';

const ON_WINDOWS = process.platform === 'win32';

/** Only the owner reads the engine's state: it holds what models and people said. */
const FILE_MODE = 0o600;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;

/** A project may bring a link, or a pipe, where its state is to be: neither is written to. Windows has no such flags. */
const FLAGS = {
  a: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  wx: O_WRONLY | O_CREAT | O_EXCL,
  'r+': O_RDWR | O_NOFOLLOW | O_NONBLOCK,
} as const;

/** A link is read as what it names: the user's own files are links as they like. */
const READ = O_RDONLY | O_NONBLOCK;

/** Node does not say which. */
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

/** A mode that is given is kept as it is, whatever the process takes from new files. */
const open: FileCalls['open'] = (path, flags, mode) => {
  const descriptor = fs.openSync(path, FLAGS[flags], FILE_MODE);
  try {
    if (mode !== undefined) fs.fchmodSync(descriptor, mode);
  } catch {
    // Not every file system has modes; the content is what counts.
  }
  return descriptor;
};

/** The real ones. */
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
