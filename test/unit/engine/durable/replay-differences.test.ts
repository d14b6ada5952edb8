import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { compileScene, openProject, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const say = (signal: string): JsonObject => ({ signal: `SIGNAL:${signal}` });

const BEFORE: Scene = {
  name: 'before',
  manifest: manifestOf({
    Main: { A: goes('CALL:Sub'), B: { ...goes('JUMP:C'), gate: true }, C: returns, D: returns },
    Sub: { X: { rows: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } } },
  }),
  script: {
    Sub__X: [say('FAILURE'), say('SUCCESS')],
    '*': [say('SUCCESS')],
    '@halts': [
      { block: 'Sub__X', answer: 'retry' },
      { block: 'Main__B', answer: 'proceed' },
    ],
  },
};

const main = (nodes: object) =>
  manifestOf({
    Main: { A: goes('CALL:Sub'), B: { ...goes('JUMP:C'), gate: true }, C: returns, D: returns },
    Sub: { X: { rows: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } } },
    ...nodes,
  });

/** Returns the parts of a look-up that are shown to people. */
const shown = (of: unknown): unknown =>
  typeof of === 'object' && of !== null && 'action' in of && 'block' in of
    ? `${String(of.block)} ${String('signal' in of ? of.signal : null).replace('SIGNAL:', '')} ${String(of.action)}`
    : of;

describe('another manifest takes another way', () => {
  test.each([
    {
      what: 'an edge is another one',
      manifest: main({ Main: { A: goes('CALL:Sub:C'), B: { ...goes('JUMP:C'), gate: true }, C: returns, D: returns } }),
      difference: ['Main__A SUCCESS CALL:Sub', 'Main__A SUCCESS CALL:Sub:Main__C'],
    },
    {
      what: 'a block is removed',
      manifest: main({ Main: { A: goes('CALL:Sub'), B: { ...returns, gate: true } } }),
      difference: ['Main__B SUCCESS JUMP:Main__C', 'Main__B SUCCESS RETURN'],
    },
    {
      what: 'a block is renamed',
      manifest: main({ Main: { A: goes('CALL:Sub'), B2: { ...goes('JUMP:C'), gate: true }, C: returns } }),
      difference: ['answer of /Main__B#1', 'it is not requested'],
    },
    {
      what: 'the entry is renamed',
      manifest: main({ Main: { A2: goes('CALL:Sub'), B: returns } }),
      difference: ['result of /Main__A#1', 'it is not requested'],
    },
    {
      what: 'the node is renamed',
      manifest: manifestOf({ Other: { A: returns } }, { entry: 'Other' }),
      difference: ['it starts at Main', 'the manifest has no such start'],
    },
    {
      what: 'a gate is added',
      manifest: main({ Main: { A: { ...goes('CALL:Sub'), gate: true }, B: returns } }),
      difference: ['result of /Main__A#1', 'it is not requested'],
    },
    {
      what: 'a gate is removed',
      manifest: main({ Main: { A: goes('CALL:Sub'), B: goes('JUMP:C'), C: returns } }),
      difference: ['answer of /Main__B#1', 'it is not requested'],
    },
    {
      what: 'a halt is removed',
      manifest: main({ Sub: { X: { rows: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'RETURN' } } } }),
      difference: ['Sub__X FAILURE HALT_AND_FLAG', 'Sub__X FAILURE RETURN'],
    },
    {
      what: 'it ends earlier',
      manifest: manifestOf(
        {
          Main: { A: goes('CALL:Sub'), B: { ...goes('JUMP:C'), gate: true }, C: returns },
          Sub: { X: { rows: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } } },
        },
        { max_run_steps: 3 },
      ),
      difference: ['Main__C SUCCESS RETURN', 'the run has ended'],
    },
  ])('$what', async ({ manifest, difference }) => {
    verifies('engine.determinism.replay');
    const project = openProject(BEFORE);
    const { run } = await project.start();
    const replayed = await project.replay(run, compileScene({ manifest }));
    expect(replayed.kind).toBe('different');
    if (replayed.kind !== 'different') return;
    expect([shown(replayed.difference.recorded), shown(replayed.difference.now)]).toEqual(difference);
    expect((await project.replay(run)).kind).toBe('same');
  });
});

type Edit = (entry: JournalEntry, index: number, all: readonly JournalEntry[]) => readonly JournalEntry[];

const isResultOf = (entry: JournalEntry | undefined, block: string): boolean =>
  entry?.type === 'result' && entry.key.split('/').at(-1)?.startsWith(`${block}#`) === true;

const saying = (entry: JournalEntry, signal: string): JournalEntry =>
  JSON.parse(JSON.stringify(entry).replace(/SIGNAL:[A-Z]+/, `SIGNAL:${signal}`)) as JournalEntry;

describe('a journal that was edited, with checksums that fit', () => {
  test.each<{ what: string; edit: Edit; difference: readonly [string, string] }>([
    {
      what: 'a result says something else',
      edit: (entry) => [isResultOf(entry, 'Sub__X') ? saying(entry, 'SUCCESS') : entry],
      difference: ['Sub__X FAILURE HALT_AND_FLAG', 'Sub__X SUCCESS RETURN'],
    },
    {
      what: 'a result is gone',
      edit: (entry) => (isResultOf(entry, 'Main__C') ? [] : [entry]),
      difference: ['Main__C SUCCESS RETURN', 'the run has ended'],
    },
    {
      what: 'a result in the middle is gone',
      edit: (entry) => (isResultOf(entry, 'Main__A') ? [] : [entry]),
      difference: ['result of /Main__A#1/Sub__X#1', 'it is not requested'],
    },
    {
      what: 'a result stands there twice',
      edit: (entry) => (isResultOf(entry, 'Main__B') ? [entry, entry] : [entry]),
      difference: ['result of /Main__B#1', 'it is not requested'],
    },
    {
      what: 'two results have changed places',
      edit: (entry, _index, all) => {
        const [one, other] = [all.find((of) => isResultOf(of, 'Main__B')), all.find((of) => isResultOf(of, 'Main__C'))];
        return [(entry === one ? other : entry === other ? one : entry) ?? entry];
      },
      difference: ['result of /Main__C#1', 'it is not requested'],
    },
    {
      what: 'a look-up led somewhere else',
      edit: (entry) => [
        entry.type === 'path' && entry.entry.block === 'Main__B'
          ? { ...entry, entry: { ...entry.entry, action: 'JUMP:Main__D' } }
          : entry,
      ],
      difference: ['Main__B SUCCESS JUMP:Main__D', 'Main__B SUCCESS JUMP:Main__C'],
    },
    {
      what: 'an answer was another one',
      edit: (entry) => [
        entry.type === 'answer' && entry.answer.verb === 'proceed' ? { ...entry, answer: { verb: 'next' } } : entry,
      ],
      difference: ['Main__B SUCCESS JUMP:Main__C', 'Main__B null JUMP:Main__C'],
    },
    {
      what: 'it ended in another way',
      edit: (entry) => [entry.type === 'end' ? { ...entry, outcome: 'failed', reason: 'timeout' } : entry],
      difference: ['it ends with timeout', 'it is completed'],
    },
  ])('$what', async ({ edit, difference }) => {
    verifies('engine.determinism.replay');
    const project = openProject(BEFORE);
    const { run } = await project.start();
    project.rewrite(run, (entries) => entries);
    expect((await project.replay(run)).kind).toBe('same');
    project.rewrite(run, (entries) => entries.flatMap(edit));
    const replayed = await project.replay(run);
    expect(replayed.kind).toBe('different');
    if (replayed.kind !== 'different') return;
    expect([shown(replayed.difference.recorded), shown(replayed.difference.now)]).toEqual(difference);
  });

  test('a halt was another one', async () => {
    const project = openProject({ ...BEFORE, script: { '*': [say('SUCCESS')] } });
    const { run } = await project.start();
    project.rewrite(run, (entries) =>
      entries.map((entry) => (entry.type === 'halt' ? { ...entry, why: 'quota' } : entry)),
    );
    expect(await project.replay(run)).toMatchObject({
      kind: 'different',
      difference: { recorded: 'Main__B waits (quota)', now: 'it does not wait' },
    });
  });

  test('a run that parts from its journal is not gone on with, and its journal is left as it is', async () => {
    verifies('engine.journal.torn-line');
    const project = openProject(BEFORE);
    const { run } = await project.start();
    project.rewrite(run, (entries) =>
      entries.flatMap((entry) => [isResultOf(entry, 'Sub__X') ? saying(entry, 'OTHER') : entry]),
    );
    const lines = project.entries(run).length;
    const { response, executed } = await project.resume(run);
    expect(response.reason).toBe('corrupt_state');
    expect(executed).toEqual([]);
    expect(
      project
        .entries(run)
        .slice(lines)
        .map(({ type }) => type),
    ).toEqual(['open']);
  });
});

test('a run that parts from a journal of another version says which version wrote it', async () => {
  const project = openProject(BEFORE);
  const { run } = await project.start();
  project.rewrite(run, (entries) =>
    entries.map((entry) => {
      if (entry.type === 'open') return { ...entry, engine: '0.0.9' };
      return isResultOf(entry, 'Sub__X') ? saying(entry, 'OTHER') : entry;
    }),
  );
  const { response } = await project.resume(run);
  expect(response.details['message']).toMatch(
    /^the run differs from its journal \(RoboSmith 0\.0\.9 wrote it, this is \d+\.\d+\.\d+\): /,
  );
});

test('a condition that says something else is told', async () => {
  verifies('engine.determinism.replay');
  const choice = (answer: boolean) => new Map([['my.choice', () => answer]]);
  const manifest = manifestOf({ Main: { A: {}, B: returns, C: returns } });
  const { nodes } = manifest as unknown as { nodes: { Main: { blocks: { A: { transitions: JsonObject[] } } } } };
  nodes.Main.blocks.A.transitions.push(
    { on_signal: 'SIGNAL:SUCCESS', condition: { id: 'my.choice', args: [] }, action: 'JUMP:B' },
    { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'JUMP:C' },
  );
  const project = openProject({
    name: 'a choice',
    manifest,
    script: { '*': [say('SUCCESS')] },
    conditions: choice(true),
  });
  const { run } = await project.start();
  expect((await project.replay(run)).kind).toBe('same');
  const other = await project.replay(run, undefined, choice(false));
  expect(other.kind).toBe('different');
  if (other.kind !== 'different') return;
  expect([shown(other.difference.recorded), shown(other.difference.now)]).toEqual([
    'Main__A SUCCESS JUMP:Main__B',
    'Main__A SUCCESS JUMP:Main__C',
  ]);
});
