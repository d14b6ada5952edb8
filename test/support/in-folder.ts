import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Response } from '#protocol/response.ts';
import { Orchestrator, type OrchestratorServices, type WorkflowManifest } from '../../src/index.ts';

/** Creates a temporary folder and returns its path without symbolic links. */
export const newFolder = async (): Promise<string> =>
  realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-workers-')));

export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });

export const node = (source: string): readonly string[] => [process.execPath, '-e', source];

/** Returns a manifest with one block, `Main__A`, that uses the given worker. */
export const withWorker = (worker: string, more: object = {}, block: object = {}): WorkflowManifest => ({
  version: 1,
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker, ...block } } } },
  ...more,
});

/** Runs a manifest with real files and processes below the folder. */
export const runIn = (
  directory: string,
  manifest: WorkflowManifest,
  services: OrchestratorServices = {},
): Promise<Response> => new Orchestrator(manifest, { directory, ...services }).execute('Main');
