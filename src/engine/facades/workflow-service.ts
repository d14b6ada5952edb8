import { loadManifest, type LoadedManifest } from '../manifest/load-manifest.ts';

/** Locates, reads and checks a manifest. */
export class WorkflowService {
  /** Reads a manifest file and its imports; null when the file can't be read. Faults are in `compilation.diagnostics`. */
  load(file: string): Promise<LoadedManifest | null> {
    return loadManifest(file);
  }
}
