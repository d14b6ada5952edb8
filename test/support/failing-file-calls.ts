import type { FileCalls } from '#protocol/file-calls.ts';

export interface Fault {
  /** The number of the call that fails, counted from 1. */
  readonly at: number;
  /** The system's error code, for example `ENOSPC`. */
  readonly code: string;
  /** True if a failing write transfers half of its bytes and the next call fails, as on a full disk. */
  readonly partial?: boolean;
  /**
   * True if all later calls fail too, as on a disk that stays full. Together with `partial`, this simulates a crash.
   */
  readonly lasting?: boolean;
}

export interface FailingFileCalls {
  readonly calls: FileCalls;
  /**
   * Returns the number of calls so far. If it is less than `at`, the chosen call was never made: a test that makes each
   * call fail in turn can then stop.
   */
  made(): number;
}

/**
 * Wraps file calls so that one of them fails once without any effect, except that a failing close still closes the
 * descriptor, as on real systems.
 */
export function failingFileCalls(
  real: FileCalls,
  { at, code, partial = false, lasting = false }: Fault,
): FailingFileCalls {
  let count = 0;
  let firstFault = at;

  const isFaulty = (): boolean => {
    count += 1;
    return count === firstFault || (lasting && count > firstFault);
  };
  const fault = (name: string): Error => Object.assign(new Error(`${code}: ${name} was made to fail`), { code });
  const failing =
    <Arguments extends readonly unknown[], Value>(name: string, call: (...given: Arguments) => Value) =>
    (...given: Arguments): Value => {
      if (isFaulty()) throw fault(name);
      return call(...given);
    };

  const calls: FileCalls = {
    open: failing('open', real.open),
    close: (descriptor) => {
      real.close(descriptor);
      if (isFaulty()) throw fault('close');
    },
    write: (descriptor, bytes, position) => {
      if (!isFaulty()) return real.write(descriptor, bytes, position);
      if (!partial || count !== at) throw fault('write');
      firstFault = at + 1;
      return real.write(descriptor, bytes.subarray(0, Math.ceil(bytes.length / 2)), position);
    },
    datasync: failing('datasync', real.datasync),
    datasyncAside: (descriptor) => (isFaulty() ? Promise.reject(fault('datasync')) : real.datasyncAside(descriptor)),
    sync: failing('sync', real.sync),
    truncate: failing('truncate', real.truncate),
    rename: failing('rename', real.rename),
    link: failing('link', real.link),
    remove: failing('remove', real.remove),
    removeFolder: failing('removeFolder', real.removeFolder),
    makeFolder: failing('makeFolder', real.makeFolder),
    list: failing('list', real.list),
    read: failing('read', real.read),
    stat: failing('stat', real.stat),
    syncFolder: failing('syncFolder', real.syncFolder),
  };
  return { calls, made: () => count };
}
