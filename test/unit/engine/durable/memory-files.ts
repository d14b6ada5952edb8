import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';

interface Inode {
  bytes: Buffer;
}

/**
 * A disk in memory that loses no data. Its state at any moment is therefore also the state after a crash at that
 * moment.
 */
export interface MemoryFiles {
  readonly calls: FileCalls;
  /** Returns the text of each file by path. */
  contents(): ReadonlyMap<string, string>;
  /** Returns a copy of the disk in its current state. */
  copy(): MemoryFiles;
  /** Creates or replaces a file. */
  put(file: string, content: string): void;
  /**
   * Sets a function that is called before each sync of a journal. It receives the number of the sync, counted from 1.
   */
  onSync(hook: (count: number) => void): void;
}

const failure = (code: string, file: string): Error => Object.assign(new Error(`${code}: ${file}`), { code });

export function createMemoryFiles(start: ReadonlyMap<string, string> = new Map()): MemoryFiles {
  const files = new Map<string, Inode>(Array.from(start, ([file, text]) => [file, { bytes: Buffer.from(text) }]));
  const folders = new Set<string>(['/']);
  const open = new Map<number, { readonly inode: Inode; readonly atEnd: boolean; at: number }>();
  let descriptors = 2;
  let syncs = 0;
  let onSync: (count: number) => void = () => undefined;

  const addFolder = (folder: string): void => {
    for (let one = folder; !folders.has(one); one = path.posix.dirname(one)) folders.add(one);
  };
  for (const file of files.keys()) addFolder(path.posix.dirname(file));

  const at = (file: string): Inode => {
    const inode = files.get(file);
    if (inode === undefined) throw failure('ENOENT', file);
    return inode;
  };
  const opened = (descriptor: number) => {
    const found = open.get(descriptor);
    if (found === undefined) throw failure('EBADF', String(descriptor));
    return found;
  };
  const make = (file: string): Inode => {
    if (!folders.has(path.posix.dirname(file))) throw failure('ENOENT', file);
    const inode = { bytes: Buffer.alloc(0) };
    files.set(file, inode);
    return inode;
  };

  const calls: FileCalls = {
    open: (file, flags) => {
      if (flags === 'wx' && files.has(file)) throw failure('EEXIST', file);
      const inode = flags === 'r+' ? at(file) : (files.get(file) ?? make(file));
      descriptors += 1;
      open.set(descriptors, { inode, atEnd: flags === 'a', at: 0 });
      return descriptors;
    },
    close: (descriptor) => {
      opened(descriptor);
      open.delete(descriptor);
    },
    write: (descriptor, bytes, position) => {
      const one = opened(descriptor);
      const { inode } = one;
      const from = one.atEnd ? inode.bytes.length : (position ?? one.at);
      const before = Buffer.concat([inode.bytes.subarray(0, from)], from);
      inode.bytes = Buffer.concat([before, bytes, inode.bytes.subarray(from + bytes.length)]);
      if (position === undefined) one.at = from + bytes.length;
      return bytes.length;
    },
    datasync: (descriptor) => {
      opened(descriptor);
      syncs += 1;
      onSync(syncs);
    },
    datasyncAside: (descriptor) => Promise.resolve(void opened(descriptor)),
    sync: (descriptor) => void opened(descriptor),
    truncate: (descriptor, size) => {
      const { inode } = opened(descriptor);
      inode.bytes = inode.bytes.subarray(0, size);
    },
    rename: (from, to) => {
      files.set(to, at(from));
      files.delete(from);
    },
    link: (from, to) => {
      if (files.has(to)) throw failure('EEXIST', to);
      files.set(to, at(from));
    },
    remove: (file) => {
      at(file);
      files.delete(file);
    },
    removeFolder: (folder) => {
      if (!folders.delete(folder)) throw failure('ENOENT', folder);
    },
    makeFolder: addFolder,
    list: (folder) => {
      if (!folders.has(folder)) throw failure('ENOENT', folder);
      const all = [...files.keys(), ...folders].filter((one) => one !== folder && path.posix.dirname(one) === folder);
      return all.map((one) => path.posix.basename(one));
    },
    read: (file) => at(file).bytes,
    stat: (file) => {
      const isFolder = folders.has(file);
      return { size: isFolder ? 0 : at(file).bytes.length, modifiedAt: 0, isFolder };
    },
    syncFolder: () => undefined,
  };
  const contents = (): ReadonlyMap<string, string> =>
    new Map(Array.from(files, ([file, { bytes }]) => [file, bytes.toString()]));

  return {
    calls,
    contents,
    copy: () => createMemoryFiles(contents()),
    onSync: (hook) => {
      syncs = 0;
      onSync = hook;
    },
    put: (file, content) => {
      addFolder(path.posix.dirname(file));
      files.set(file, { bytes: Buffer.from(content) });
    },
  };
}
