import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { verifies } from '../../e2e/verifies.ts';
import { compile, WorkflowService } from '../../../src/index.ts';
import { manifestOf, row } from '../../unit/engine/small-workflow.ts';

const manifest = manifestOf({
  Main: {
    entry_block: 'A',
    blocks: { A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Sub'), row('FAIL_DEFAULT', 'RETURN')] } },
  },
  Sub: { entry_block: 'B', blocks: { B: { worker: 'Worker:X' } } },
});

describe('compile', () => {
  test('gives diagnostics, the graph, and a config for each node', () => {
    verifies('engine.library.compile');
    const { diagnostics, workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
    expect(diagnostics).toEqual([]);
    if (workflow === null) throw new Error('the manifest has errors');
    const { graph } = workflow;
    expect(graph.nodes.map(({ id, blocks }) => [id, blocks.map((block) => block.id)])).toEqual([
      ['Main', ['Main__A']],
      ['Sub', ['Sub__B']],
    ]);
    expect(graph.nodes[0]?.blocks[0]?.transitions.map(({ signal, text }) => `${signal} ${text}`)).toEqual([
      'SIGNAL:SUCCESS CALL:Sub',
      'SIGNAL:FAIL_DEFAULT RETURN',
    ]);
    for (const { id } of graph.nodes) {
      const config = workflow.config(id);
      expect(JSON.parse(JSON.stringify(config))).toEqual(config);
      expect(() => createMachine(config as never)).not.toThrow();
    }
  });

  test('gives no graph where there is an error, and says which', () => {
    verifies('engine.library.compile');
    const wrong = JSON.stringify(manifest).replace('CALL:Sub', 'CALL:Sup');
    const { diagnostics, workflow } = compile([{ path: 'workflows.json', text: wrong }]);
    expect(workflow).toBeNull();
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { file: 'workflows.json', pointer: '/nodes/Main/blocks/A/transitions/0/action' },
    ]);
  });
});

describe('WorkflowService', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'robosmith-library-'));
    await mkdir(path.join(folder, '.vision/lib'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const file = (name: string): string => path.join(folder, '.vision', name);
  const load = () => new WorkflowService().load(file('workflows.json'));

  test('reads a manifest and its imports, parses them and finds no fault', async () => {
    verifies('engine.library.workflow-service');
    const { nodes, ...rest } = manifest as unknown as { nodes: Record<string, object> };
    const { Main, Sub } = nodes;
    await writeFile(
      file('workflows.json'),
      `// with a comment\n${JSON.stringify({ ...rest, imports: ['./lib/sub.json'], nodes: { Main } })}`,
    );
    await writeFile(file('lib/sub.json'), JSON.stringify({ nodes: { Sub } }));
    const loaded = await load();
    expect(loaded?.compilation.diagnostics).toEqual([]);
    expect(loaded?.sources.map((source) => source.path)).toEqual(['.vision/workflows.json', '.vision/lib/sub.json']);
    expect(loaded?.compilation.workflow?.graph.nodes.map(({ id }) => id)).toEqual(['Main', 'Sub']);
  });

  test('tells every fault with its place', async () => {
    verifies('engine.library.workflow-service');
    await writeFile(file('workflows.json'), '{\n  "entry": "None",\n  "nodez": {}\n}\n');
    const loaded = await load();
    expect(loaded?.compilation.workflow).toBeNull();
    const places = loaded?.compilation.diagnostics.map(({ line, pointer }) => `${line} ${pointer}`);
    expect(places).toContain('2 /entry');
    expect(places).toContain('3 /nodez');
  });

  test('says null for a file that is not there', async () => {
    verifies('engine.library.workflow-service');
    expect(await load()).toBeNull();
  });
});
