import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';
import { createSimulatedFile, type SimulatedFile } from './simulated-file.ts';
import { createSimulatedFolder, type SimulatedFolder, type SimulatedNode } from './simulated-folder.ts';

/** A file call that is about to be made. */
export interface Call {
  /** The number of the call within its process, counted from 0. */
  readonly index: number;
  readonly name: keyof FileCalls;
  readonly path: string;
}

/**
 * The decision about a file call. `crash`: the process ends before, in the middle of, or right after the call. `short`:
 * a write transfers half of its bytes. `fail`: the call has no effect, with two exceptions: a failing close still
 * closes the descriptor, and if a sync fails with `EIO`, its data is never written.
 */
export type Verdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'crash'; readonly phase: 'before' | 'half' | 'after' }
  | { readonly kind: 'short' }
  | { readonly kind: 'fail'; readonly code: string };

/** A process that uses the disk; it can make no calls after its end. */
export interface DiskProcess {
  readonly calls: FileCalls;
  isAlive(): boolean;
  /** Returns the number of calls so far. */
  made(): number;
  kill(): void;
}

interface ProcessOptions {
  readonly decide?: (call: Call) => Verdict;
  /** Schedules work of the thread pool; by default it is done immediately. */
  readonly later?: (work: () => void) => void;
}

export interface SimulatedDisk {
  start(options?: ProcessOptions): DiskProcess;
  /** Simulates a power loss: data that was not synced is lost completely or in part. No process may be alive. */
  losePower(random: () => number): void;
  /** Returns the contents of all files by path. */
  files(): ReadonlyMap<string, Buffer>;
  /** Returns the content of a file that is certain to survive a power loss; null if even its name may be lost. */
  safeContent(file: string): Buffer | null;
}

const GO: Verdict = { kind: 'go' };

const systemError = (code: string, call: string, file: string): Error =>
  Object.assign(new Error(`${code}: ${call} '${file}'`), { code });

const partsOf = (file: string): readonly string[] => path.resolve(file).split(path.sep).filter(Boolean);

interface Opened {
  readonly file: SimulatedFile;
  readonly path: string;
  readonly appends: boolean;
  at: number;
}

interface Tree {
  readonly root: SimulatedFolder;
  readonly now: () => number;
}

function find({ root }: Tree, file: string, call: string): SimulatedNode {
  let node: SimulatedNode = root;
  for (const part of partsOf(file)) {
    if (node.kind === 'file') throw systemError('ENOTDIR', call, file);
    const next = node.names.get(part);
    if (next === undefined) throw systemError('ENOENT', call, file);
    node = next;
  }
  return node;
}

function folderAt(tree: Tree, folder: string, call: string): SimulatedFolder {
  const node = find(tree, folder, call);
  if (node.kind === 'file') throw systemError('ENOTDIR', call, folder);
  return node;
}

const parentOf = (tree: Tree, file: string, call: string): SimulatedFolder =>
  folderAt(tree, path.dirname(path.resolve(file)), call);

function fileAt(tree: Tree, file: string, call: string): SimulatedFile {
  const node = find(tree, file, call);
  if (node.kind === 'folder') throw systemError('EISDIR', call, file);
  return node;
}

function makeFolders({ root }: Tree, folder: string): void {
  let at = root;
  const parts = partsOf(folder);
  for (const [index, part] of parts.entries()) {
    const next = at.names.get(part);
    if (next?.kind === 'file') throw systemError(index === parts.length - 1 ? 'EEXIST' : 'ENOTDIR', 'mkdir', folder);
    const made = next ?? createSimulatedFolder();
    if (next === undefined) at.change([part, made]);
    at = made;
  }
}

function openFile(tree: Tree, file: string, flags: 'a' | 'wx' | 'r+'): Opened {
  const folder = parentOf(tree, file, 'open');
  const name = path.basename(file);
  const known = folder.names.get(name);
  if (known !== undefined && flags === 'wx') throw systemError('EEXIST', 'open', file);
  if (known?.kind === 'folder') throw systemError('EISDIR', 'open', file);
  if (known === undefined && flags === 'r+') throw systemError('ENOENT', 'open', file);
  const opened = known ?? createSimulatedFile(undefined, tree.now());
  if (known === undefined) folder.change([name, opened]);
  return { file: opened, path: file, appends: flags === 'a', at: 0 };
}

function rename(tree: Tree, from: string, to: string): void {
  const source = parentOf(tree, from, 'rename');
  const target = parentOf(tree, to, 'rename');
  const node = source.names.get(path.basename(from));
  if (node === undefined) throw systemError('ENOENT', 'rename', from);
  const replaced = target.names.get(path.basename(to));
  if (replaced?.kind === 'folder' && node.kind === 'file') throw systemError('EISDIR', 'rename', to);
  if (replaced === node) return;
  if (source === target) return source.change([path.basename(from), null], [path.basename(to), node]);
  target.change([path.basename(to), node]);
  source.change([path.basename(from), null]);
}

function link(tree: Tree, from: string, to: string): void {
  const node = fileAt(tree, from, 'link');
  const folder = parentOf(tree, to, 'link');
  if (folder.names.has(path.basename(to))) throw systemError('EEXIST', 'link', to);
  folder.change([path.basename(to), node]);
}

function remove(tree: Tree, file: string): void {
  fileAt(tree, file, 'unlink');
  parentOf(tree, file, 'unlink').change([path.basename(file), null]);
}

function removeFolder(tree: Tree, folder: string): void {
  if (folderAt(tree, folder, 'rmdir').names.size > 0) throw systemError('ENOTEMPTY', 'rmdir', folder);
  parentOf(tree, folder, 'rmdir').change([path.basename(folder), null]);
}

function statOf(node: SimulatedNode): ReturnType<FileCalls['stat']> {
  if (node.kind === 'folder') return { size: 0, modifiedAt: 0, isFolder: true };
  return { size: node.size(), modifiedAt: node.modifiedAt(), isFolder: false };
}

function writeTo(opened: Opened, bytes: Uint8Array, position: number | undefined, now: number): number {
  const at = opened.appends ? opened.file.size() : (position ?? opened.at);
  opened.file.write(at, bytes, now);
  if (position === undefined) opened.at = at + bytes.length;
  return bytes.length;
}

const halfOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.length / 2));

function startProcess(tree: Tree, { decide = () => GO, later = queueMicrotask }: ProcessOptions): DiskProcess {
  const descriptors = new Map<number, Opened>();
  let next = 3;
  let made = 0;
  let alive = true;

  const gone = (): Error => systemError('EPIPE', 'any call', 'of a process that has ended');
  const die = (): never => {
    alive = false;
    descriptors.clear();
    throw gone();
  };
  const judge = (name: keyof FileCalls, file: string): Verdict => {
    if (!alive) throw gone();
    made += 1;
    return decide({ index: made - 1, name, path: file });
  };
  const perform = <Value>(
    name: keyof FileCalls,
    file: string,
    work: () => Value,
    half: () => void = () => undefined,
    failed: (code: string) => void = () => undefined,
  ): Value => {
    const verdict = judge(name, file);
    switch (verdict.kind) {
      case 'crash':
        if (verdict.phase === 'after') work();
        else if (verdict.phase === 'half') half();
        return die();
      case 'fail':
        failed(verdict.code);
        throw systemError(verdict.code, name, file);
      case 'short':
      case 'go':
        return work();
    }
  };
  const opened = (descriptor: number, call: string): Opened => {
    if (!alive) throw gone();
    const found = descriptors.get(descriptor);
    if (found === undefined) throw systemError('EBADF', call, String(descriptor));
    return found;
  };
  const performSync = <Value>(name: keyof FileCalls, { file, path: where }: Opened, work: () => Value): Value =>
    perform(name, where, work, undefined, (code) => {
      if (code === 'EIO') file.failSync();
    });
  const sync = (name: 'datasync' | 'sync', descriptor: number): void => {
    const found = opened(descriptor, name);
    performSync(name, found, () => found.file.beginSync()());
  };

  const calls: FileCalls = {
    open: (file, flags) =>
      perform('open', file, () => {
        const found = openFile(tree, file, flags);
        next += 1;
        descriptors.set(next, found);
        return next;
      }),
    close: (descriptor) => {
      const { path: where } = opened(descriptor, 'close');
      // As on real systems, the descriptor is closed even if the call fails.
      descriptors.delete(descriptor);
      perform('close', where, () => undefined);
    },
    write: (descriptor, bytes, position) => {
      const found = opened(descriptor, 'write');
      const verdict = judge('write', found.path);
      const half = verdict.kind === 'short' || (verdict.kind === 'crash' && verdict.phase === 'half');
      const none = verdict.kind === 'fail' || (verdict.kind === 'crash' && verdict.phase === 'before');
      const written = none ? 0 : writeTo(found, half ? halfOf(bytes) : bytes, position, tree.now());
      if (verdict.kind === 'crash') return die();
      if (verdict.kind === 'fail') throw systemError(verdict.code, 'write', found.path);
      return written;
    },
    datasync: (descriptor) => sync('datasync', descriptor),
    datasyncAside: async (descriptor) => {
      const found = opened(descriptor, 'datasyncAside');
      const done = performSync('datasyncAside', found, () => found.file.beginSync());
      await new Promise<void>((resolve) => later(resolve));
      if (!alive) throw gone();
      done();
    },
    sync: (descriptor) => sync('sync', descriptor),
    truncate: (descriptor, size) => {
      const { file, path: where } = opened(descriptor, 'truncate');
      perform('truncate', where, () => file.truncate(size, tree.now()));
    },
    rename: (from, to) => perform('rename', to, () => rename(tree, from, to)),
    link: (from, to) => perform('link', to, () => link(tree, from, to)),
    remove: (file) => perform('remove', file, () => remove(tree, file)),
    removeFolder: (folder) => perform('removeFolder', folder, () => removeFolder(tree, folder)),
    makeFolder: (folder) => perform('makeFolder', folder, () => makeFolders(tree, folder)),
    list: (folder) => perform('list', folder, () => [...folderAt(tree, folder, 'scandir').names.keys()]),
    read: (file) => perform('read', file, () => fileAt(tree, file, 'read').content()),
    stat: (file) => perform('stat', file, () => statOf(find(tree, file, 'stat'))),
    syncFolder: (folder) => perform('syncFolder', folder, () => folderAt(tree, folder, 'fsync').sync()),
  };
  return {
    calls,
    isAlive: () => alive,
    made: () => made,
    kill: () => {
      alive = false;
      descriptors.clear();
    },
  };
}

function* walk(folder: SimulatedFolder, at: string): Generator<readonly [string, Buffer]> {
  for (const [name, node] of folder.names) {
    const file = `${at}/${name}`;
    if (node.kind === 'file') yield [file, node.content()];
    else yield* walk(node, file);
  }
}

/**
 * Creates a disk in memory that distinguishes written from synced data, and whose processes can end in the middle of
 * any call. The given `files` exist and are synced.
 */
export function createSimulatedDisk(
  files: Iterable<readonly [string, Uint8Array]> = [],
  now: () => number = () => 0,
): SimulatedDisk {
  const tree: Tree = { root: createSimulatedFolder(), now };
  for (const [file, content] of files) {
    makeFolders(tree, path.dirname(file));
    parentOf(tree, file, 'open').change([path.basename(file), createSimulatedFile(content)]);
  }
  syncAll(tree.root);
  return {
    start: (options = {}) => startProcess(tree, options),
    losePower: (random) => tree.root.losePower(random),
    files: () => new Map(walk(tree.root, '')),
    safeContent: (file) => {
      let node: SimulatedNode | undefined = tree.root;
      for (const part of partsOf(file)) node = node?.kind === 'folder' ? node.syncedNames.get(part) : undefined;
      return node?.kind === 'file' ? node.synced() : null;
    },
  };
}

function syncAll(folder: SimulatedFolder): void {
  folder.sync();
  for (const node of folder.names.values()) if (node.kind === 'folder') syncAll(node);
}
