import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Response } from '#protocol/response.ts';
import { Orchestrator, type OrchestratorServices, type WorkflowManifest } from '../../src/index.ts';

/** A folder of its own, without links in its path. */
export const newFolder = async (): Promise<string> =>
  realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-workers-')));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

export const node = (source: string): readonly string[] => [process.execPath, '-e', source];

/** A manifest with one block, `Main__A`, of this worker. */
export const withWorker = (worker: string, more: object = {}, block: object = {}): WorkflowManifest => ({
  version: 1,
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker, ...block } } } },
  ...more,
});

/** Runs it with real files and processes below the folder. */
export const runIn = (
  directory: string,
  manifest: WorkflowManifest,
  services: OrchestratorServices = {},
): Promise<Response> => new Orchestrator(manifest, { directory, ...services }).execute('Main');
