import { describe, expect, test } from 'vitest';
import { compile, coverRows, parseScript } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { pathText } from '#protocol/rule-verdict.ts';

type Json = Record<string, unknown>;

const block = (worker: string, on: Json, others: Json = {}): Json => ({ worker, on, ...others });
const CODER = { access: { mode: 'shared' } };

const manifestOf = (nodes: Json, rules: readonly Json[]): string =>
  JSON.stringify({
    version: 1,
    entry: 'Main',
    commands: { test: ['npm', 'test'], lint: ['npm', 'run', 'lint'] },
    workers: {
      'Worker:Coder': { kind: 'agent', preset: 'claude' },
      'Worker:Reviewer': { kind: 'agent', preset: 'claude', approvals: 'read' },
      'Worker:Push': { kind: 'command', command: ['git', 'push', 'origin'] },
      'Worker:Lint': { kind: 'command', command: ['npm', 'run', 'lint'], side_effects: 'none' },
      'Worker:Odd': {
        kind: 'command',
        command: ['npm', 'run', 'lint'],
        side_effects: 'none',
        signals: { 0: 'SIGNAL:SUCCESS', 1: 'SIGNAL:SUCCESS', '*': 'SIGNAL:FAILURE' },
      },
    },
    rules,
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([name, blocks]) => [name, { entry_block: Object.keys(blocks as object)[0], blocks }]),
    ),
  });

/** Returns the answer to one rule: its kind, or the path that breaks it. */
function answer(nodes: Json, rule: Json): string {
  const { rules, diagnostics } = compile([{ path: 'workflows.json', text: manifestOf(nodes, [rule]) }]);
  const [judged] = rules;
  if (judged === undefined) throw new Error(JSON.stringify(diagnostics));
  const { verdict } = judged;
  return verdict.kind === 'broken'
    ? pathText(verdict.path)
    : verdict.kind === 'unproved'
      ? `at most ${verdict.most}`
      : verdict.kind;
}

const PASS = { person_may_bypass: true };
const HALT = { FAIL_DEFAULT: 'HALT_AND_FLAG' };
const TESTED = {
  Main: {
    Code: block('Worker:Coder', { SUCCESS: 'JUMP:Test', ...HALT }, CODER),
    Test: block('Internal:TestRunner', { SUCCESS: 'JUMP:Accept', FAILURE: 'JUMP:Code', ...HALT }),
    Accept: block('Internal:ManualIntervention', { SUCCESS: 'JUMP:Push', REJECTED: 'JUMP:Code' }),
    Push: block('Worker:Push', { SUCCESS: 'RETURN', ...HALT }, { side_effects: 'none' }),
  },
};

describe('rules over all paths', () => {
  test.each<[string, Json, Json, string]>([
    ['a check since the last change', TESTED, { before: 'push', require: ['check:test', 'person'], ...PASS }, 'proved'],
    [
      'an answer of a person leads around it, unless it may',
      TESTED,
      { before: 'push', require: 'check:test' },
      'Main__Code (OTHER, HALT_AND_FLAG) [person: jump Main__Push] → Main__Push, without check:test',
    ],
    [
      'next leads to the block after it',
      {
        Main: {
          Code: block('Worker:Coder', { SUCCESS: 'RETURN', ...HALT }, CODER),
          Push: block('Worker:Push', {}),
        },
      },
      { never: 'push' },
      'Main__Code (OTHER, HALT_AND_FLAG) [person: next] → Main__Push',
    ],
    [
      'a change after the check makes it stale',
      {
        Main: {
          Test: block('Internal:TestRunner', { SUCCESS: 'JUMP:Code', FAIL_DEFAULT: 'RETURN' }),
          Code: block('Worker:Coder', { SUCCESS: 'RETURN' }, CODER),
        },
      },
      { before: 'Main__Code:SUCCESS', require: 'check:test', ...PASS },
      'Main__Test (SUCCESS, JUMP:Main__Code) → Main__Code (SUCCESS, RETURN), without check:test',
    ],
    [
      'with fresh: false an old one counts',
      {
        Main: {
          Test: block('Internal:TestRunner', { SUCCESS: 'JUMP:Code', ...HALT }),
          Code: block('Worker:Coder', { SUCCESS: 'RETURN' }, CODER),
        },
      },
      { before: 'merge', require: 'check:test', fresh: false, ...PASS },
      'proved',
    ],
    [
      'the failure of a called node goes on at the caller',
      {
        Main: {
          Call: block('Worker:Reviewer', { SUCCESS: 'CALL:Sub:Push', ERROR: 'JUMP:Push', ...HALT }),
          Push: block('Worker:Push', { FAIL_DEFAULT: 'RETURN' }),
        },
        Sub: { Test: block('Internal:TestRunner', { SUCCESS: 'RETURN' }) },
      },
      { never: 'Main__Push', unless: 'Sub__Test:SUCCESS', ...PASS },
      'Main__Call (ERROR, JUMP:Main__Push) → Main__Push, without Sub__Test:SUCCESS',
    ],
    [
      'branches of a FORK run in every order',
      {
        Main: { Both: block('Worker:Reviewer', { SUCCESS: 'FORK:One,Two' }) },
        One: {
          Test: block('Internal:TestRunner', { SUCCESS: 'JUMP:Push' }),
          Push: block('Worker:Push', { SUCCESS: 'RETURN' }, { side_effects: 'none' }),
        },
        Two: { Code: block('Worker:Coder', { SUCCESS: 'RETURN' }, CODER) },
      },
      { before: 'push', require: 'check:test', ...PASS },
      'Main__Both (SUCCESS, FORK:One,Two) → Two__Code → One__Test (SUCCESS, JUMP:One__Push) → One__Push, without check:test',
    ],
    [
      'after … require … until',
      { Main: { ...TESTED.Main, Code: block('Worker:Coder', { SUCCESS: 'JUMP:Test', MORE: 'JUMP:Accept' }, CODER) } },
      { after: 'Worker:Coder', require: 'check:test', until: 'person', ...PASS },
      'Main__Code (MORE, JUMP:Main__Accept) → Main__Accept (SUCCESS, JUMP:Main__Push) [person: proceed], without check:test',
    ],
    ['a rule without an object', TESTED, { before: 'Worker:Reviewer', require: 'person' }, 'unused'],
    [
      'a command worker passes a check with the signal of exit code 0',
      { Main: { Lint: block('Worker:Lint', { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' }) } },
      { before: 'merge', require: 'check:lint', ...PASS },
      'proved',
    ],
    [
      'but not if a failure has the same signal',
      { Main: { Lint: block('Worker:Odd', { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' }) } },
      { before: 'merge', require: 'check:lint', ...PASS },
      'Main__Lint (SUCCESS, RETURN), without check:lint',
    ],
    [
      'visits are bounded by conditions and rejections',
      {
        Main: {
          Code: block('Worker:Coder', { SUCCESS: 'JUMP:Accept' }, CODER),
          Accept: block('Internal:ManualIntervention', { SUCCESS: 'JUMP:Review', REJECTED: 'JUMP:Code' }),
          Review: block('Worker:Reviewer', {
            SUCCESS: 'RETURN',
            FAIL_DEFAULT: [{ condition: { id: 'visits.less_than', args: [3] }, action: 'JUMP:Code' }, 'HALT_AND_FLAG'],
          }),
        },
      },
      { bound: 'Worker:Coder', visits: 5 },
      'at most 6',
    ],
  ])('%s', (_, nodes, rule, expected) => {
    expect(answer(nodes, rule)).toBe(expected);
  });

  test('a broken rule is an error with its path; simulations do not decide rules', () => {
    const text = manifestOf(TESTED, [{ before: 'push', require: 'check:lint', ...PASS }]);
    const { workflow, diagnostics } = compile([{ path: 'workflows.json', text }]);
    const [found, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
    expect([workflow, found?.code, found?.pointer, others]).toEqual([null, 'RS3005', '/rules/0', []]);
    expect(found?.related.map(({ pointer }) => pointer)).toEqual(
      ['Code', 'Test', 'Accept', 'Push'].map((name) => `/nodes/Main/blocks/${name}`),
    );
    expect(compile([{ path: 'workflows.json', text }], { ignoreRules: true }).workflow).not.toBeNull();
  });

  test('an atom that names nothing is an error with a near name', () => {
    const rules = [
      { before: 'Main__Pussh', require: 'check:tset' },
      { never: 'Main__Code:success' },
      { bound: 'merge', visits: 1 },
      { before: 'merge' },
      { after: 'push', require: 'person', visits: 2 },
    ];
    const { diagnostics } = compile([{ path: 'workflows.json', text: manifestOf(TESTED, rules) }]);
    const found = diagnostics.filter(({ code }) => code.startsWith('RS20'));
    expect(
      found.map(({ code, pointer, advice }) => [code, pointer, /^Did you mean "(.*?)"/.exec(advice)?.[1]]),
    ).toEqual([
      ['RS2067', '/rules/0/before', 'Main__Push'],
      ['RS2067', '/rules/0/require', 'check:test'],
      ['RS2067', '/rules/1/never', undefined],
      ['RS2068', '/rules/2/bound', undefined],
      ['RS2068', '/rules/3', undefined],
      ['RS2068', '/rules/4', undefined],
    ]);
  });
});

describe('scripts for rows', () => {
  test('take each row that a run can take, also those behind a count of visits', async () => {
    const text = manifestOf(
      {
        Main: {
          Code: block('Worker:Coder', { SUCCESS: 'CALL:Review:Decide', ...HALT }, CODER),
          Decide: block('Worker:Reviewer', {
            SUCCESS: 'JUMP:Accept',
            FAILURE: [{ condition: { id: 'visits.less_than', args: [3] }, action: 'JUMP:Code' }, 'HALT_AND_FLAG'],
          }),
          Accept: block('Internal:ManualIntervention', { SUCCESS: 'RETURN', REJECTED: 'JUMP:Code', ...HALT }),
        },
        Review: {
          Look: block('Worker:Reviewer', { SUCCESS: 'FORK:One,Two:Sum', FAIL_DEFAULT: 'RETURN' }),
          Sum: block('Internal:Verdict', { SUCCESS: 'RETURN', FAILURE: 'JUMP:Look' }, { params: { rule: 'all' } }),
        },
        One: { Look: block('Worker:Reviewer', { SUCCESS: 'RETURN' }) },
        Two: { Look: block('Worker:Reviewer', { SUCCESS: 'RETURN', FAILURE: 'RETURN' }) },
      },
      [],
    );
    const { workflow } = compile([{ path: 'workflows.json', text }]);
    if (workflow === null) throw new Error('not compiled');
    const rows = coverRows(workflow.graph);
    const found = await Promise.all(rows.map(({ block: id, row, script }) => takes(workflow, id, row.row, script)));
    expect(rows.filter((_, index) => found[index] !== true).map(({ block: id, row }) => [id, row.signal])).toEqual([
      // A person only proceeds or rejects, and a rejection has a row of its own.
      ['Main__Accept', 'SIGNAL:FAIL_DEFAULT'],
    ]);
  });
});

async function takes(workflow: CompiledWorkflow, id: string, row: number, script: object | null): Promise<boolean> {
  if (script === null) return false;
  const { value } = parseScript({ path: 'script.json', text: JSON.stringify(script) }, workflow.graph);
  if (value === null) throw new Error(JSON.stringify(script));
  let isTaken = false;
  await simulate(workflow, {
    start: { node: workflow.graph.entry as never },
    script: value,
    onEvent: (event) => {
      isTaken ||= event.type === 'transition.taken' && event.entry.block === id && event.row === row;
    },
  });
  return isTaken;
}
