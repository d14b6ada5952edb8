import { describe, expect, test } from 'vitest';
import { compareGraphs, compile, differencesMarkdown, reviewFiles } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { findDeadEnds } from '../../../src/compiler/review/find-dead-ends.ts';
import { findLoops } from '../../../src/compiler/review/find-loops.ts';
import { code, fenced, inline } from '../../../src/compiler/review/markdown.ts';
import { affectedRuns } from '../../../src/cli/diff/affected-runs.ts';
import { differencesPage } from '../../../src/cli/diff/differences-page.ts';
import type { RunListing } from '#protocol/run-summary.ts';

const row = (signal: string, action: string, visits?: number) => ({
  on_signal: `SIGNAL:${signal}`,
  action,
  ...(visits === undefined ? {} : { condition: { id: 'visits.less_than', args: [visits] } }),
});

const BLOCKS = {
  Write: { worker: 'Worker:W', transitions: [row('SUCCESS', 'JUMP:Test'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
  Test: {
    worker: 'Internal:TestRunner',
    transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Write', 3), row('FAILURE', 'HALT_AND_FLAG')],
  },
  Never: { worker: 'Worker:W', transitions: [row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
};

function workflow(blocks: object = BLOCKS, persona = 'A | careful `engineer`'): CompiledWorkflow {
  const manifest = {
    version: 1,
    entry: 'Fix',
    commands: { test: ['npm', 'test'] },
    workers: { 'Worker:W': { kind: 'agent', preset: 'claude', approvals: 'read', persona } },
    nodes: { Fix: { entry_block: 'Write', blocks } },
  };
  const compiled = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]).workflow;
  if (compiled === null) throw new Error('the manifest has errors');
  return compiled;
}

describe('the bundle for reviewers', () => {
  test('finds loops with their bounds, and dead ends', () => {
    const { graph } = workflow();
    expect(
      findLoops(graph).map(({ blocks, bounds, maxSteps }) => [blocks, bounds.map(({ block }) => block), maxSteps]),
    ).toEqual([[['Fix__Write', 'Fix__Test'], ['Fix__Test'], 128]]);
    expect(findDeadEnds(graph)).toEqual([
      { kind: 'ends_run', block: 'Fix__Test' },
      { kind: 'unreached', block: 'Fix__Never' },
      { kind: 'halts_only', block: 'Fix__Never' },
    ]);
  });

  test('has the same bytes for the same workflow, and a row for every transition', () => {
    const files = reviewFiles(workflow(), [{ name: 'workflow.svg', text: '<svg/>' }]);
    expect(files).toEqual(reviewFiles(workflow(), [{ name: 'workflow.svg', text: '<svg/>' }]));
    expect(files.map(({ name }) => name)).toEqual([
      ...['README.md', 'workflow.svg', 'workflow.mmd', 'signals.md', 'dead-ends.md', 'loops.md', 'workers.md'],
      'machines.json',
    ]);
    const signals = files.find(({ name }) => name === 'signals.md')?.text ?? '';
    expect(signals).toContain('| `Fix__Test` | `SIGNAL:FAILURE` | `visits.less_than(3)` | `JUMP:Fix__Write` |');
    const workers = files.find(({ name }) => name === 'workers.md')?.text ?? '';
    expect(workers).toContain('| `Worker:W` | agent | preset: `claude` | approvals: `read` |');
    expect(workers).toContain('| `test` | `npm test` |');
  });
});

describe('differences for a pull request', () => {
  const changed = workflow({
    ...BLOCKS,
    Test: { ...BLOCKS.Test, transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'HALT_AND_FLAG')] },
  });
  const differences = compareGraphs(workflow().graph, changed.graph);

  test('show rows that went as a diff', () => {
    expect(differencesMarkdown(differences)).toBe(
      [
        'The behaviour of the workflow changes: 1 block changed.\n',
        '### block `Fix__Test`: changed\n',
        '`SIGNAL:FAILURE`\n',
        '```diff\n- JUMP:Fix__Write if visits.less_than(3)\n- HALT_AND_FLAG\n+ HALT_AND_FLAG\n```\n',
      ].join('\n'),
    );
    expect(differencesMarkdown([])).toBe('The behaviour of the workflow does not change.\n');
  });

  test('name runs that stand where something changes', () => {
    const listing = (run: string, status: string, block: string, node = 'Fix'): RunListing =>
      ({ kind: 'run', run, summary: { run, status, frames: [{ block, node }] } }) as unknown as RunListing;
    const runs = affectedRuns(
      [
        ...[listing('r1', 'halted', 'Fix__Test'), listing('r2', 'running', 'Fix__Write')],
        ...[listing('r3', 'halted', 'Other__A', 'Other'), listing('r4', 'completed', 'Fix__Test')],
      ],
      differences,
    );
    expect(runs.map(({ run, touches }) => [run, touches])).toEqual([
      ['r1', 'block'],
      ['r2', 'node'],
      ['r3', 'elsewhere'],
    ]);
    expect(affectedRuns([listing('r1', 'halted', 'Fix__Test')], [])).toEqual([]);
  });

  test('are text, whatever a manifest says', () => {
    const evil = '</pre><script>alert(1)</script> ``` \n```` <img src=x onerror=alert(1)> | \u202e';
    const hostile = compareGraphs(workflow().graph, workflow(BLOCKS, evil).graph);
    const page = differencesPage(hostile, []);
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain("default-src 'none'");
    const markdown = differencesMarkdown(hostile);
    const [fence = ''] = /^`{3,}(?=diff)/m.exec(markdown) ?? [];
    expect(fence.length).toBe(5);
    expect(markdown.split('\n').filter((line) => line === fence).length).toBe(1);
    expect(markdown + page).not.toContain('\u202e');
  });
});

test('texts in Markdown end neither code nor a cell', () => {
  expect(code('a `b` | c')).toBe('``a `b` \\| c``');
  expect(code('`x')).toBe('`` `x ``');
  expect(inline('[a](b) <i> *c*')).toBe('\\[a\\]\\(b\\) \\<i\\> \\*c\\*');
  expect(fenced(['```', 'x'], '')).toBe('````\n```\nx\n````\n');
});
