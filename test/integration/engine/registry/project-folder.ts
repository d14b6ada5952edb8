import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compile } from '#compiler/index.ts';
import type { Graph } from '#protocol/graph.ts';

export interface ProjectFolder {
  /** The absolute path, with links resolved. */
  readonly root: string;
  write(name: string, content: unknown): Promise<void>;
  registry(content: unknown): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a project root in a new folder. */
export async function projectFolder(): Promise<ProjectFolder> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-registry-')));
  const write = async (name: string, content: unknown): Promise<void> => {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  await mkdir(path.join(root, '.flow'));
  return {
    root,
    write,
    registry: (content) => write('.flow/flow.registry.json', content),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Returns the graph of a manifest with one block per worker: `Main__B0`, `Main__B1` … */
export function graphWith(
  uses: readonly string[],
  { workers = {}, block = {}, known = uses }: { workers?: object; block?: object; known?: readonly string[] } = {},
): Graph {
  const blocks = uses.map((worker, index): [string, object] => [`B${index}`, { worker, ...block }]);
  const manifest = { version: 1, workers, nodes: { Main: { entry_block: 'B0', blocks: Object.fromEntries(blocks) } } };
  const source = { path: 'workflows.json', text: JSON.stringify(manifest) };
  const { workflow, diagnostics } = compile([source], { registry: new Set(known) });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow.graph;
}
