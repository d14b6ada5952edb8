import { keepBlob, type Place, readBlob } from '#actors/journal/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { type BlobRef, JOURNAL_VERSION, type StoredManifest } from '#protocol/journal.ts';
import type { RunPorts } from '#protocol/run.ts';

export interface ManifestStore {
  /** Stores a graph unless it is already stored, and returns a reference to its blob. */
  keep(graph: Graph, ports: Pick<RunPorts, 'newId'>): BlobRef;
  /** Forgets which graphs are stored. Must be called before runs and their blobs are removed. */
  forget(): void;
}

export const storedManifest = (place: Place, ref: BlobRef): StoredManifest =>
  JSON.parse(readBlob(place, ref)) as StoredManifest;

/** Creates the store of the manifests that runs follow. */
export function createManifestStore({ calls, folder }: Place): ManifestStore {
  let manifests = new WeakMap<Graph, BlobRef>();
  return {
    keep: (graph, { newId }) => {
      const known = manifests.get(graph);
      if (known !== undefined) return known;
      const stored: StoredManifest = { version: JOURNAL_VERSION, graph };
      const ref = keepBlob({ calls, folder, newId }, JSON.stringify(stored));
      manifests.set(graph, ref);
      return ref;
    },
    forget: () => {
      manifests = new WeakMap();
    },
  };
}
