import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlockMemory } from '#protocol/worker.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';
import { oneBlock, success, worker } from '../../unit/engine/small-workflow.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'robosmith-memory-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const memoriesOf = async (
  fields: object,
  onEvent: EventListener = () => undefined,
): Promise<readonly BlockMemory[]> => {
  const seen: BlockMemory[] = [];
  const keeps = worker((memory) => {
    seen.push(memory);
    return success;
  });
  const services = { directory, workers: { 'Worker:X': keeps }, onEvent };
  const response = await new Orchestrator(oneBlock(fields), services).execute('Main');
  expect(response.success).toBe(true);
  return seen;
};

test('the layers stand in their order of priority', async () => {
  verifies('manifest.memory.layer-order');
  const events: RoboSmithEvent[] = [];
  const [memory] = await memoriesOf({}, (event) => events.push(event));
  const layers = ['payload', 'contract', 'inherited', 'artifact', 'system'];
  expect(Object.keys(memory ?? {})).toEqual([...layers, 'exports', 'returned']);
  const assembled = events.find(({ type }) => type === 'memory.assembled');
  expect(assembled?.type === 'memory.assembled' && Object.keys(assembled.layers)).toEqual(layers);
});

test('layer 4 has the content of the files that artifact names: paths and globs, in written order, each once', async () => {
  verifies('manifest.memory.artifact');
  await mkdir(path.join(directory, 'src/deep'), { recursive: true });
  for (const name of ['src/b.ts', 'src/a.ts', 'src/deep/c.ts', 'src/d.md', 'other.ts'])
    await writeFile(path.join(directory, name), `text of ${name}`);
  const artifact = ['src/d.md', 'src/**/*.ts', 'src/a.ts', 'src/new.ts', '*.none'];
  const [memory] = await memoriesOf({ artifact });
  expect(memory?.artifact).toEqual({
    files: [
      { path: 'src/d.md', content: 'text of src/d.md' },
      { path: 'src/a.ts', content: 'text of src/a.ts' },
      { path: 'src/b.ts', content: 'text of src/b.ts' },
      { path: 'src/deep/c.ts', content: 'text of src/deep/c.ts' },
      { path: 'src/new.ts', content: null },
    ],
    slices: [],
  });
  expect(memory?.artifact.files.every((file) => Object.isFrozen(file))).toBe(true);
});

test('a file whose own name has brackets is read by that name', async () => {
  const names = ['app/[id]/page.tsx', 'app/i/page.tsx', 'app/{a,b}.ts'];
  for (const name of names) {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), `text of ${name}`);
  }
  const [memory] = await memoriesOf({ artifact: ['app/[id]/page.tsx', 'app/{a,b}.ts'] });
  expect(memory?.artifact.files).toEqual(names.map((name) => ({ path: name, content: `text of ${name}` })));
});

test('what is in the files when the block executes is what it sees', async () => {
  verifies('manifest.memory.artifact');
  const file = path.join(directory, 'a.ts');
  await writeFile(file, 'first');
  const seen: (string | null | undefined)[] = [];
  const writes = worker(async ({ artifact, system }) => {
    seen.push(artifact.files[0]?.content);
    await writeFile(file, `after visit ${system.visit}`);
    return success;
  });
  const twice = oneBlock({
    artifact: 'a.ts',
    transitions: [
      { on_signal: 'SIGNAL:SUCCESS', condition: { id: 'visits.less_than', args: [2] }, action: 'JUMP:A' },
      { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'RETURN' },
    ],
  });
  await new Orchestrator(twice, { directory, workers: { 'Worker:X': writes } }).execute('Main');
  expect(seen).toEqual(['first', 'after visit 1']);
});
