import { describe, expect, test } from 'vitest';
import { compile, formatManifest, parseScript, TEMPLATES, templateSource } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import { writesNothing } from '#engine/run/writes-nothing.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { templateManifest } from '#cli/starter/template-manifest.ts';

const COMMANDS = { test: ['npm', 'test'] };

const compiled = (name: string): CompiledWorkflow => {
  const text = templateManifest(name, COMMANDS, 'claude');
  const { workflow, diagnostics } = compile([{ path: '.vision/workflows.json', text }], { commands: COMMANDS });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (workflow === null) throw new Error('not compiled');
  return workflow;
};

const INPUT = 'what to do';

async function run(name: string, answers: JsonObject, halts: readonly JsonObject[] = []) {
  const workflow = compiled(name);
  const { graph } = workflow;
  const script = { ...answers, '*': [{ signal: 'SIGNAL:SUCCESS' }], ...(halts.length > 0 ? { '@halts': halts } : {}) };
  const { value } = parseScript({ path: 'answers.json', text: JSON.stringify(script) }, graph);
  if (value === null || graph.entry === null) throw new Error('no script');
  const required = TEMPLATES[name]?.required ?? [];
  const input = JSON.stringify(Object.fromEntries(required.map((one) => [one, INPUT])));
  return simulate(workflow, { start: { node: graph.entry }, input, script: value });
}

/** Returns the blocks of the root node in the order in which they were visited. */
const visited = ({ path }: Awaited<ReturnType<typeof run>>): readonly string[] =>
  path.filter(({ depth }) => depth === 0).map(({ block }) => block.replace(/^.*__/, ''));

const PROCEED = [{ answer: 'proceed' }];

describe.each(Object.keys(TEMPLATES))('%s', (name) => {
  test('compiles without a finding, also as an import', () => {
    const text = templateManifest(name, COMMANDS, null);
    const alone = compile([{ path: '.vision/workflows.json', text }], { commands: COMMANDS });
    expect(alone.diagnostics).toEqual([]);
    const source = templateSource(`robosmith:${name}`);
    if (source === null) throw new Error('no source');
    const importing = JSON.stringify({
      version: 1,
      imports: [`robosmith:${name}`],
      workers: {
        'Worker:Coder': { kind: 'agent', preset: 'codex', approvals: 'edit' },
        'Worker:Reviewer': { kind: 'agent', preset: 'codex', approvals: 'read' },
      },
    });
    const imported = compile([{ path: '.vision/workflows.json', text: importing }, source], { commands: COMMANDS });
    expect(imported.diagnostics).toEqual([]);
    expect(imported.workflow?.graph.nodes.map(({ id }) => id)).toEqual(alone.workflow?.graph.nodes.map(({ id }) => id));
  });

  test('is formatted, and every block that asks a worker says what for', () => {
    const text = TEMPLATES[name]?.text ?? '';
    expect(formatManifest(text)).toBe(text);
    const asked = compiled(name).graph.nodes.flatMap(({ blocks }) =>
      blocks.filter(({ worker }) => worker.startsWith('Worker:')),
    );
    expect(asked.filter(({ contract }) => (contract ?? '').length < 80)).toEqual([]);
  });

  test('tells an agent that only reads so, and warns of none that may write nothing', () => {
    expect(writesNothing(compiled(name).graph, () => false)).toEqual([]);
  });

  test('goes to its end when all goes well', async () => {
    const people = compiled(name).graph.nodes.flatMap(({ blocks }) =>
      blocks
        .filter(({ worker }) => worker === 'Internal:ManualIntervention')
        .map(({ id }) => ({ block: id, ...PROCEED[0] })),
    );
    const response = await run(name, {}, people);
    expect([response.reason, response.success]).toEqual([null, true]);
  });
});

test('a reviewer who objects sends the work back, and the third objection halts', async () => {
  const objecting = { Review_Cause__Review: [{ signal: 'SIGNAL:FAILURE' }] };
  const response = await run('fix-bug', objecting);
  expect(visited(response)).toEqual(['Reproduce', 'Repair', 'Decide', 'Repair', 'Decide', 'Repair', 'Decide']);
  expect(response.reason).toBe('halted');
});

test('a bug that can not be reproduced waits for a person before anything is changed', async () => {
  const response = await run('fix-bug', { FixBug__Reproduce: [{ signal: 'SIGNAL:FAILURE' }] });
  expect([response.reason, visited(response)]).toEqual(['halted', ['Reproduce']]);
});

test('a migration goes on in batches while files remain', async () => {
  const more = { signal: 'SIGNAL:MORE' };
  const answers = { Migrate__Batch: [more, more, { signal: 'SIGNAL:SUCCESS' }] };
  const response = await run('migrate', answers, [{ block: 'Migrate__AcceptExample', answer: 'proceed' }]);
  expect(visited(response)).toEqual(['Example', 'AcceptExample', 'Batch', 'Batch', 'Batch', 'Review']);
});

test('tests that stay red are asked for again and then halt with what is wrong', async () => {
  const response = await run(
    'feature',
    { Feature__Implement: [{ signal: 'SIGNAL:SUCCESS', evidence_fails: '2 failed' }] },
    [{ block: 'Feature__AcceptPlan', answer: 'proceed' }],
  );
  expect(response.reason).toBe('halted');
  expect(response.path.at(-1)).toMatchObject({ block: 'Feature__Implement', attempts: 4, signal: 'SIGNAL:ERROR' });
});

test('a rejected plan is written again', async () => {
  const response = await run('feature', {}, [
    { block: 'Feature__AcceptPlan', answer: 'reject', guidance: 'Too large.' },
    { block: 'Feature__AcceptPlan', answer: 'proceed' },
    { block: 'Feature__Accept', answer: 'proceed' },
  ]);
  expect([response.reason, visited(response).slice(0, 4)]).toEqual([
    null,
    ['Plan', 'AcceptPlan', 'Plan', 'AcceptPlan'],
  ]);
});
