import type { FileCalls } from '#protocol/file-calls.ts';
import type { KillSwitch } from './kill-switch.ts';

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\/journal\.jsonl\.[^/]*tmp$/, 'header'],
  [/\/journal\.jsonl$/, 'journal'],
  [/\/flow_state_[^/]*#[^/]*$/, 'frame state'],
  [/\/flow_state_/, 'state'],
  [/\/ended\.[^/]*$/, 'completion'],
  [/\/blobs(\/|$)/, 'blob'],
  [/\/shared-log/, 'shared log'],
  [/\/engine\.lock/, 'engine lock'],
  [/\/intent\.lock/, 'intents'],
  [/\/\.vision\/logs(\/|$)/, 'call log'],
  [/\/logs(\/|$)/, 'events'],
  [/\/artifacts(\/|$)/, 'event data'],
  [/\/control(\/|$)/, 'control'],
  [/\/(?:status[.](?:md|meta)|backups|sub_flows)/, 'tasks'],
];

/** Returns a word for the purpose of a file, which is used in the names of kill points. */
const kindOf = (path: string): string => KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? 'folder';

/**
 * Wraps file calls so that the process can be killed before and after each call that changes something, and within a
 * write: after half of its bytes, and before the last one.
 */
export function deadlyFileCalls(real: FileCalls, reach: KillSwitch['reach']): FileCalls {
  const opened = new Map<number, string>();
  const kind = (descriptor: number): string => opened.get(descriptor) ?? 'unknown';
  const around = <Value>(point: string, call: () => Value): Value => {
    reach(`${point}, before`);
    const value = call();
    reach(`${point}, after`);
    return value;
  };
  return {
    ...real,
    open: (path, flags) => {
      const open = (): number => real.open(path, flags);
      const descriptor = flags === 'wx' ? around(`${kindOf(path)} made`, open) : open();
      opened.set(descriptor, kindOf(path));
      return descriptor;
    },
    write: (descriptor, bytes, position) => {
      const point = `${kind(descriptor)} write`;
      const part = (size: number) => (): void => void real.write(descriptor, bytes.subarray(0, size), position);
      reach(`${point}, half`, part(Math.ceil(bytes.length / 2)));
      reach(`${point}, all but a byte`, part(bytes.length - 1));
      return around(point, () => real.write(descriptor, bytes, position));
    },
    datasync: (descriptor) => around(`${kind(descriptor)} sync`, () => real.datasync(descriptor)),
    datasyncAside: async (descriptor) => {
      const point = `${kind(descriptor)} sync aside`;
      reach(`${point}, before`);
      await real.datasyncAside(descriptor);
      reach(`${point}, after`);
    },
    sync: (descriptor) => around(`${kind(descriptor)} sync`, () => real.sync(descriptor)),
    truncate: (descriptor, size) => around(`${kind(descriptor)} truncate`, () => real.truncate(descriptor, size)),
    rename: (from, to) => around(`${kindOf(to)} rename`, () => real.rename(from, to)),
    link: (from, to) => around(`${kindOf(to)} link`, () => real.link(from, to)),
    remove: (path) => around(`${kindOf(path)} remove`, () => real.remove(path)),
    removeFolder: (path) => around('folder remove', () => real.removeFolder(path)),
    makeFolder: (path) => around('folder made', () => real.makeFolder(path)),
    syncFolder: (path) => around('folder sync', () => real.syncFolder(path)),
  };
}
