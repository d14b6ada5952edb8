import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadManifest, type LoadOptions } from '#engine/manifest/load-manifest.ts';
import { verifies } from '../../../e2e/verifies.ts';

let base = '';
let project = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-load-')));
  project = path.join(base, 'project');
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const manifest = (block: object, more: object = {}) => ({
  '.vision/workflows.json': {
    version: 1,
    workers: { 'Worker:A': { kind: 'ai' } },
    nodes: { Main: { entry_block: 'Ask', blocks: { Ask: { worker: 'Worker:A', ...block } } } },
    ...more,
  },
});

async function load(options?: LoadOptions) {
  const loaded = await loadManifest(path.join(project, '.vision/workflows.json'), options);
  if (loaded === null) throw new Error('the manifest must be there');
  const { compilation, detectedCommands } = loaded;
  const { workflow, diagnostics } = compilation;
  return {
    found: diagnostics.map(({ code, pointer }) => [code, pointer]),
    messages: diagnostics.map(({ message }) => message),
    validation: workflow?.graph.nodes[0]?.blocks[0]?.validation ?? null,
    commands: workflow?.graph.commands,
    detectedCommands,
  };
}

const ARTIFACT = '/nodes/Main/blocks/Ask/artifact';
const SCHEMA = '/nodes/Main/blocks/Ask/validation/schema';

describe('imports with arguments', () => {
  const REVIEW = {
    version: 1,
    parameters: { steps: { type: 'number' } },
    nodes: { Review: { entry_block: 'read', max_steps: '{{steps}}', blocks: { read: { worker: 'Worker:A' } } } },
  };
  const imports = [
    { from: './review.json', as: 'Security', with: { steps: 3 } },
    { from: './review.json', as: 'Style', with: { steps: 5 } },
  ];

  test('are read from their files, and those that are missing are named', async () => {
    await write({ ...manifest({}, { imports }), '.vision/review.json': REVIEW });
    const loaded = await loadManifest(path.join(project, '.vision/workflows.json'));
    const nodes = loaded?.compilation.workflow?.graph.nodes.map(({ id, maxSteps }) => [id, maxSteps]);
    expect(nodes?.slice(1)).toEqual([
      ['Security', 3],
      ['Style', 5],
    ]);
    await write(manifest({}, { imports: [{ from: './gone.json', as: 'X' }] }));
    expect((await load()).found).toEqual([['RS2002', '/imports/0/from']]);
  });
});

describe('artifacts', () => {
  test('that match no file of the project are a warning at their place', async () => {
    verifies('manifest.validation.warn-artifact');
    await write({ ...manifest({ artifact: ['src/a.ts', 'src/b.ts', 'src/*.ts', 'lib/**/*.rs'] }), 'src/a.ts': '' });
    expect((await load()).found).toEqual([
      ['RS4007', `${ARTIFACT}/1`],
      ['RS4007', `${ARTIFACT}/3`],
    ]);
  });

  test('are looked for in the project only', async () => {
    await write(manifest({ artifact: '../secret' }));
    await writeFile(path.join(base, 'secret'), '');
    expect((await load()).found).toEqual([['RS4007', ARTIFACT]]);
  });
});

describe('schema files', () => {
  const bySchema = manifest({ validation: { schema: './schemas/answer.json' } });

  test('are read beside the manifest, comments and all', async () => {
    await write({ ...bySchema, '.vision/schemas/answer.json': '{ "type": "object", /* all of them */ }' });
    expect(await load()).toMatchObject({ found: [], validation: { keyword: null, schema: { type: 'object' } } });
  });

  test('of an imported manifest stand beside that one', async () => {
    await write({
      ...manifest({}, { imports: ['../lib/more.json'] }),
      'lib/more.json': {
        nodes: {
          More: { entry_block: 'A', blocks: { A: { worker: 'Worker:A', validation: { schema: 'answer.json' } } } },
        },
      },
      'lib/answer.json': { type: 'array' },
    });
    expect((await load()).found).toEqual([]);
  });

  test.each([
    ['are not there', {}, 'RS2027', 'there is no such file in the project'],
    ['are no JSON', { '.vision/schemas/answer.json': '{\n  "a" 1}' }, 'RS2027', '.vision/schemas/answer.json:2:7: '],
    ['hold no object', { '.vision/schemas/answer.json': '[]' }, 'RS2027', 'must be an object'],
    ['are no schema', { '.vision/schemas/answer.json': { type: 5 } }, 'RS2028', '/type must be'],
  ])('that %s are an error at their place', async (_what, files, code, why) => {
    await write({ ...bySchema, ...files });
    const { found, messages } = await load();
    expect(found).toEqual([[code, SCHEMA]]);
    expect(messages[0]).toContain(why);
  });

  test.skipIf(process.platform === 'win32')('outside of the project are not read, links included', async () => {
    await writeFile(path.join(base, 'secret.json'), '{"type": "object"}');
    await write(manifest({ validation: { schema: '../../secret.json' } }));
    expect((await load()).found).toEqual([['RS2026', SCHEMA]]);
    await write(manifest({ validation: { schema: '../link.json' } }));
    await symlink(path.join(base, 'secret.json'), path.join(project, 'link.json'));
    expect((await load()).found).toEqual([['RS2027', SCHEMA]]);
  });

  test('are refused when they are larger than any honest one', async () => {
    await write({ ...bySchema, '.vision/schemas/answer.json': { enum: ['x'.repeat(1_000_001)] } });
    expect((await load()).found).toEqual([['RS2028', SCHEMA]]);
  });

  test.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
    'may name their draft, %s, and have ids',
    async ($schema) => {
      const schema = { $schema, $id: 'https://example.org/answer', type: 'object' };
      const block = { worker: 'Worker:A', validation: { schema } };
      await write(
        manifest({}, { nodes: { Main: { entry_block: 'A', blocks: { A: block, B: block } } }, entry: undefined }),
      );
      expect((await load()).found).toEqual([['RS4001', '/nodes/Main/blocks/B']]);
    },
  );
});

describe('commands', () => {
  const scripts = { test: 'node --test', build: 'tsc' };

  test("default to what the project's own files say", async () => {
    verifies('manifest.commands.detected');
    await write({ ...manifest({}, { commands: { test: ['make', 'check'] } }), 'package.json': { scripts } });
    expect(await load()).toMatchObject({
      commands: { test: ['make', 'check'], build: ['npm', 'run', 'build'] },
      detectedCommands: { test: ['npm', 'test'], build: ['npm', 'run', 'build'] },
    });
  });

  test('are those of the folder that is named, also for a manifest with errors', async () => {
    await write({ ...manifest({ worker: 'Worker:None' }), 'tools/Makefile': 'test:\n\ttrue\n' });
    expect((await load()).detectedCommands).toEqual({});
    expect((await load({ root: path.join(project, 'tools') })).detectedCommands).toEqual({ test: ['make', 'test'] });
  });
});

describe('the registry', () => {
  const using = (worker: string, more: object = {}) =>
    manifest({ worker }, { workers: { 'Worker:A': { kind: 'ai' }, ...more } });

  test('its names are workers; nothing of it is executed', async () => {
    const registry = { git: './git.mjs#Git' };
    const workers = { 'Worker:G': { kind: 'module', module: 'git' } };
    await write({ '.flow/flow.registry.json': registry, 'git.mjs': 'process.exit(1);', ...using('git', workers) });
    expect((await load()).found).toEqual([]);
    await write(using('gti'));
    expect(await load()).toMatchObject({ found: [['RS2016', '/nodes/Main/blocks/Ask/worker']] });
  });

  test('it is that of the root that is given, else of the manifest', async () => {
    await write({ 'inner/.flow/flow.registry.json': { git: './git.mjs#Git' }, ...using('git') });
    expect((await load()).found).toEqual([['RS2016', '/nodes/Main/blocks/Ask/worker']]);
    expect((await load({ root: path.join(project, 'inner') })).found).toEqual([]);
  });

  test('with an error in it, that is why its names are not known', async () => {
    await write({
      '.flow/flow.registry.json': '{\n"git": 1 }',
      ...using('git', { 'Worker:G': { kind: 'module', module: 'git' } }),
    });
    const why =
      'The worker "git" does not exist: the registry has an error (registry_bad_value at .flow/flow.registry.json:2:8).';
    expect((await load()).messages).toEqual([why, why]);
    await write(using('Internal:TestRunner'));
    expect((await load()).found.filter(([code]) => code === 'RS2016')).toEqual([]);
  });
});
