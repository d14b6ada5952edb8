/** The time in which one agent works in a folder, and who else does. */
export interface Window {
  readonly root: string;
  /** Whether this one may change a file. */
  readonly allows: (name: string) => boolean;
  /** What others that worked at the same time may have changed. */
  readonly allies: ((name: string) => boolean)[];
  /** What they have changed for sure. */
  readonly theirs: Set<string>;
  /** One of them may have changed anything. */
  unclear: boolean;
}

interface Other {
  readonly root: string;
  readonly paths: readonly string[] | null;
}

/** Who works in which folder at one time: blocks of a FORK share theirs. */
export function createWindows() {
  const open = new Set<Window>();
  const others = new Set<Other>();

  const tell = (window: Window, { paths }: Other): void => {
    if (paths === null) window.unclear = true;
    else for (const path of paths) window.theirs.add(path);
  };

  return {
    begin: (root: string, allows: Window['allows']): Window => {
      const window: Window = { root, allows, allies: [], theirs: new Set(), unclear: false };
      for (const other of others) if (other.root === root) tell(window, other);
      for (const one of open) {
        if (one.root !== root) continue;
        one.allies.push(allows);
        window.allies.push(one.allows);
      }
      open.add(window);
      return window;
    },
    end: (window: Window): void => {
      open.delete(window);
    },
    /** Put back by one agent's watch: no change of another's. */
    putBack: (root: string, paths: readonly string[]): void => {
      for (const one of open) if (one.root === root) tell(one, { root, paths });
    },
    other: (root: string, paths: readonly string[] | null): (() => void) => {
      const other = { root, paths };
      for (const one of open) if (one.root === root) tell(one, other);
      others.add(other);
      return () => {
        others.delete(other);
      };
    },
  };
}
