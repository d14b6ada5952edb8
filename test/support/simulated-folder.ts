import { pick } from './seeded-random.ts';
import type { SimulatedFile } from './simulated-file.ts';

export type SimulatedNode = SimulatedFile | SimulatedFolder;

/** Names that change atomically, as in a rename. A null node means that the name is removed. */
type Renaming = readonly (readonly [name: string, node: SimulatedNode | null])[];

export interface SimulatedFolder {
  readonly kind: 'folder';
  readonly names: ReadonlyMap<string, SimulatedNode>;
  readonly syncedNames: ReadonlyMap<string, SimulatedNode>;
  change(...renaming: Renaming): void;
  sync(): void;
  losePower(random: () => number): void;
}

const apply = (names: Map<string, SimulatedNode>, renaming: Renaming): void => {
  for (const [name, node] of renaming) {
    if (node === null) names.delete(name);
    else names.set(name, node);
  }
};

/** Creates a folder whose names exist both as written and as synced to the disk. */
export function createSimulatedFolder(): SimulatedFolder {
  let names = new Map<string, SimulatedNode>();
  let synced = new Map<string, SimulatedNode>();
  let changes: Renaming[] = [];
  return {
    kind: 'folder',
    get names() {
      return names;
    },
    get syncedNames() {
      return synced;
    },
    change: (...renaming) => {
      apply(names, renaming);
      changes.push(renaming);
    },
    sync: () => {
      synced = new Map(names);
      changes = [];
    },
    /**
     * Keeps the synced names and a random part of the others: either all changes up to some point, or any subset of
     * them.
     */
    losePower: (random) => {
      const ordered = random() < 0.5;
      const kept = pick(random, changes.length + 1);
      const survive = changes.filter((_, index) => (ordered ? index < kept : random() < 0.5));
      for (const renaming of survive) apply(synced, renaming);
      names = new Map(synced);
      changes = [];
      for (const node of names.values()) node.losePower(random);
    },
  };
}
