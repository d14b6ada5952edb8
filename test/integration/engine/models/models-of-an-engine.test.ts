import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { projectCalls } from '#engine/authoring.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { haltsOf, type ModelProject, projectWithModels, SECRET } from './project-with-models.ts';

let project: ModelProject;
afterEach(() => project.remove());

const pricesOf = async (file: string, text: string) => {
  writeFileSync(file, text);
  const response = await project.run();
  return { cost: response.metadata.cost, warnings: project.warnings };
};

test('the user’s prices beat those of the project, and both the table; unknown stays unknown', async () => {
  verifies('workers.pool.user-prices');
  project = await projectWithModels();
  const [own, theirs] = [path.join(project.config, 'prices.json'), path.join(project.root, '.vision', 'prices.json')];
  expect((await project.run()).metadata.cost).toBeNull();
  // Each of the 3 calls has 12 input and 3 output tokens.
  expect(await pricesOf(theirs, '{"openai-compatible/tiny": {"input": 1, "output": 2}}')).toMatchObject({
    cost: 0.000054,
  });
  expect(await pricesOf(own, '{"tiny": {"input": 10, "output": 0}}')).toMatchObject({ cost: 0.00036 });
  const sources = projectCalls(project.root).calls.map(({ micro_usd: cost }) => cost);
  expect(sources).toEqual([120, 120, 120, 18, 18, 18, null, null, null]);
});

test.each([
  ['{', 'it is not valid JSON'],
  ['[]', 'it is not an object of prices by model'],
  ['{"tiny": {"input": -1, "output": 0}}', '"tiny" needs "input" and "output"'],
  ['{"tiny": {"input": 1e999, "output": 0}}', '"tiny" needs "input" and "output"'],
  ['{"tiny": {"input": "0", "output": "0"}}', '"tiny" needs "input" and "output"'],
  ['{"__proto__": {"input": 0, "output": 0}, "tiny": 0}', '"tiny" needs "input" and "output"'],
])('hostile prices are told and count as not written: %s', async (text, problem) => {
  project = await projectWithModels();
  const { cost, warnings } = await pricesOf(path.join(project.root, '.vision', 'prices.json'), text);
  expect(cost).toBeNull();
  expect(warnings).toEqual([expect.stringContaining(`.vision/prices.json: ${problem}`)]);
});

test('no link of a project makes its user’s files prices', async () => {
  project = await projectWithModels();
  const file = path.join(project.config, 'other.json');
  writeFileSync(file, '{"tiny": {"input": 0, "output": 0}, "secret name": 1}');
  symlinkSync(file, path.join(project.root, '.vision', 'prices.json'));
  expect((await project.run()).metadata.cost).toBeNull();
  expect(project.warnings).toHaveLength(1);
  expect(project.warnings[0]).not.toContain('secret name');
});

test('calls and keys are events of the run, in its log too, without a secret', async () => {
  verifies('workers.pool.events', 'workers.pool.secrets');
  project = await projectWithModels('status-402');
  const response = await project.run();
  expect(haltsOf(response)).toMatchObject([{ why: 'quota', block: 'Main__A' }]);
  const facts = project.events.filter(({ type }) => /^(?:ai\.call|key)\./.test(type));
  expect(
    facts.map((event) => [event.type, 'key' in event ? event.key : '', 'block' in event ? event.block : '']),
  ).toEqual([
    ['ai.call.started', '', 'Main__A'],
    ['key.changed', 'local', 'Main__A'],
    ['ai.call.attempted', 'local', 'Main__A'],
    ['key.changed', 'spare', 'Main__A'],
    ['ai.call.attempted', 'spare', 'Main__A'],
    ['ai.call.finished', '', 'Main__A'],
  ]);
  const all = project.contents();
  expect(all.some((text) => text.includes('"type":"key.changed"'))).toBe(true);
  for (const text of [...all, JSON.stringify(project.events)]) expect(text).not.toContain(SECRET.slice(3, 14));
});

test('a person’s word makes a key good again, and the runs that go take their calls with them', async () => {
  verifies('workers.pool.call-log-retention');
  project = await projectWithModels('status-401');
  expect(haltsOf(await project.run())).toMatchObject([{ why: 'keys' }]);
  expect(project.server.seen).toHaveLength(2);
  await project.run();
  expect(project.server.seen).toHaveLength(2);
  expect(await project.withEngine((engine) => engine.noteKeyTest({ alias: 'local', failure: null }))).toBe(true);
  expect(await project.withEngine((engine) => engine.noteKeyTest({ alias: 'nobody', failure: null }))).toBe(false);
  await project.run();
  expect(project.server.seen).toHaveLength(3);
});

test('calls go with their runs, those of others stay', async () => {
  verifies('workers.pool.call-log-retention');
  project = await projectWithModels();
  await project.run();
  const { metadata } = await project.run();
  expect(projectCalls(project.root).calls).toHaveLength(6);
  const done = await project.withEngine((engine) => engine.prune({ keep: 1 }));
  expect(done).toMatchObject({ calls: 3, runs: [expect.any(String)] });
  expect(projectCalls(project.root).calls.map(({ run }) => run)).toEqual(Array(3).fill(metadata.run_id));
});

test('the user’s order holds where a pool has none, and a pool has the keys that the user gave to it', async () => {
  project = await projectWithModels();
  mkdirSync(project.config, { recursive: true });
  const book = (order: readonly (readonly string[])[]) =>
    writeFileSync(
      path.join(project.config, 'keys.json'),
      JSON.stringify({ version: 1, keys: [], disabled: [], order }),
    );
  const keysOf = async (more: object = {}) => {
    await project.run(more);
    return new Set(project.server.seen.splice(0).map(({ key }) => key.replace(SECRET, 'key')));
  };
  book([['spare'], ['local']]);
  expect(await keysOf()).toEqual(new Set(['key-2']));
  book([['local'], ['spare']]);
  expect(await keysOf()).toEqual(new Set(['key']));
});
