/** The period in which one agent works in a folder, with the access of other steps that work there at the same time. */
export interface Window {
  readonly root: string;
  /** Returns whether this agent may change the file with this name. */
  readonly allows: (name: string) => boolean;
  /** The access checks of other agents that worked in the folder at the same time. */
  readonly allies: ((name: string) => boolean)[];
  /** Names of files that other steps are known to have changed. */
  readonly theirs: Set<string>;
  /** True if another step that worked here may have changed any file. */
  unclear: boolean;
}

interface Other {
  readonly root: string;
  readonly paths: readonly string[] | null;
}

/**
 * Creates the registry of agents and steps that work in a folder at the same time. The branches of a FORK share a
 * folder.
 */
export function createWindows() {
  const open = new Set<Window>();
  const others = new Set<Other>();

  const noteOther = (window: Window, { paths }: Other): void => {
    if (paths === null) window.unclear = true;
    else for (const path of paths) window.theirs.add(path);
  };

  return {
    begin: (root: string, allows: Window['allows']): Window => {
      const window: Window = { root, allows, allies: [], theirs: new Set(), unclear: false };
      for (const other of others) if (other.root === root) noteOther(window, other);
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
    /**
     * Records that an agent's watch restored these files, so that other watches don't treat this as a change of their
     * agent.
     */
    restored: (root: string, paths: readonly string[]): void => {
      for (const one of open) if (one.root === root) noteOther(one, { root, paths });
    },
    other: (root: string, paths: readonly string[] | null): (() => void) => {
      const other = { root, paths };
      for (const one of open) if (one.root === root) noteOther(one, other);
      others.add(other);
      return () => {
        others.delete(other);
      };
    },
  };
}
