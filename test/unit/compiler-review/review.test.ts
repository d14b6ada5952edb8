import { describe, expect, test } from 'vitest';
import { compareGraphs, compile, differenceLines, differencesMarkdown, reviewFiles } from '#compiler/index.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { JsonValue } from '#protocol/json.ts';
import { findDeadEnds } from '../../../src/compiler/review/find-dead-ends.ts';
import { findLoops } from '../../../src/compiler/review/find-loops.ts';
import { pastCosts } from '../../../src/compiler/review/past-costs.ts';
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
    const files = reviewFiles(workflow(), [{ name: 'workflow.svg', text: '<svg/>' }], []);
    expect(files).toEqual(reviewFiles(workflow(), [{ name: 'workflow.svg', text: '<svg/>' }], []));
    expect(files.map(({ name }) => name)).toEqual([
      ...['README.md', 'workflow.svg', 'workflow.mmd', 'signals.md', 'dead-ends.md', 'loops.md', 'workers.md'],
      ...['costs.md', 'machines.json'],
    ]);
    const signals = files.find(({ name }) => name === 'signals.md')?.text ?? '';
    expect(signals).toContain('| `Fix__Test` | `SIGNAL:FAILURE` | `visits.less_than(3)` | `JUMP:Fix__Write` |');
    const workers = files.find(({ name }) => name === 'workers.md')?.text ?? '';
    expect(workers).toContain('| `Worker:W` | agent | preset: `claude` | approvals: `read` |');
    expect(workers).toContain('| `test` | `npm test` |');
  });
});

describe('the costs of past runs', () => {
  const call = (run: string | null, block: string, microUsd: number | null, more: object = {}): CallSummary => ({
    call: 'c1',
    file: 'c1.json',
    started_at: 1,
    origin: null,
    run,
    block,
    provider: 'p',
    model: 'm',
    key: 'k',
    outcome: 'ok',
    attempts: 1,
    input: 10,
    output: 1,
    cached: 0,
    micro_usd: microUsd,
    ms: 1,
    ...more,
  });
  const costs = (calls: readonly CallSummary[]): string =>
    reviewFiles(workflow(), [], calls).find(({ name }) => name === 'costs.md')?.text ?? '';

  test('are added up by run: mean and 90th percentile of the known ones', () => {
    // Eleven runs that cost 1 to 11 millionths of a dollar at one block, each in two or more calls.
    const runs = Array.from({ length: 11 }, (_, index) => [
      call(`r${index}`, 'Fix__Write', index),
      call(`r${index}`, 'Fix__Write', 1),
    ]).flat();
    const { blocks, nodes, all } = pastCosts(workflow().graph, [
      ...runs,
      call('r0', 'Fix__Test', 9),
      call('unpriced', 'Fix__Write', 500),
      call('unpriced', 'Fix__Write', null),
    ]);
    expect(blocks).toEqual([
      { id: 'Fix__Write', runs: 12, unknown: 1, mean: 6, p90: 10 },
      { id: 'Fix__Test', runs: 1, unknown: 0, mean: 9, p90: 9 },
      { id: 'Fix__Never', runs: 0, unknown: 0, mean: null, p90: null },
    ]);
    // The first run cost 10 millionths of a dollar at the two blocks together.
    const together = { runs: 12, unknown: 1, mean: 7, p90: 10 };
    expect(nodes).toEqual([{ id: 'Fix', ...together }]);
    expect(all).toEqual(together);
  });

  test('leave out repeated calls, calls outside of a run, and blocks of other workflows', () => {
    const others = [
      ...[call('r1', 'Fix__Write', 5, { origin: 'c0' }), call(null, 'Fix__Write', 5), call('r1', 'Other__A', 5)],
      call('r1', 'Fix__Write', 5, { block: null }),
    ];
    expect(costs(others)).toBe('# Costs\n\nNo past runs: the call log has no call of this workflow.\n');
  });

  test('are unknown if no price is known, and nothing only if nothing was used', () => {
    const text = costs([call('r1', 'Fix__Write', null), call('r2', 'Fix__Test', null, { input: null })]);
    expect(text.slice(text.indexOf('## Blocks'))).toBe(
      [
        '## Blocks\n',
        '| block | runs | mean | 90th percentile | runs of unknown cost |',
        '| --- | --- | --- | --- | --- |',
        '| `Fix__Write` | 1 | unknown | unknown | 1 |',
        '| `Fix__Test` | 1 | $0.000000 | $0.000000 |  |',
        '| `Fix__Never` | no past runs |  |  |  |\n',
      ].join('\n'),
    );
    expect(text).toContain('| whole workflow | 2 | $0.000000 | $0.000000 | 1 |');
  });

  test('do not depend on the order of the log', () => {
    const calls = [call('r2', 'Fix__Test', 7), call('r1', 'Fix__Write', 3), call('r1', 'Fix__Write', 1_234_567)];
    expect(costs(calls)).toBe(costs(calls.toReversed()));
    expect(costs(calls)).toContain('| `Fix__Write` | 1 | $1.234570 | $1.234570 |  |');
  });
});

describe('differences for a pull request', () => {
  const changed = workflow({
    ...BLOCKS,
    Test: { ...BLOCKS.Test, transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'HALT_AND_FLAG')] },
  });
  const graphs = { before: workflow().graph, after: changed.graph };
  const differences = compareGraphs(graphs.before, graphs.after);

  test('show rows that went as a diff', () => {
    expect(differencesMarkdown(differences, graphs)).toBe(
      [
        'The behaviour of the workflow changes: 1 block changed, transitions of 1 signal changed.\n',
        '### block `Fix__Test`: changed\n',
        '`SIGNAL:FAILURE` changed\n',
        '```diff\n- JUMP:Fix__Write if visits.less_than(3)\n  HALT_AND_FLAG\n```\n',
      ].join('\n'),
    );
    expect(differencesMarkdown([], graphs)).toBe('The behaviour of the workflow does not change.\n');
  });

  test('tell rows that were added, removed and redirected, and what an added or removed block does', () => {
    const { Never, ...kept } = BLOCKS;
    const Write = { ...kept.Write, transitions: [row('SUCCESS', 'JUMP:Check'), row('OTHER', 'RETURN')] };
    const Check = { worker: 'Worker:W', contract: 'Check it.', gate: true, transitions: [row('SUCCESS', 'JUMP:Test')] };
    const sides = { before: workflow().graph, after: workflow({ Write, Check, Test: kept.Test }).graph };
    const text = differencesMarkdown(compareGraphs(sides.before, sides.after), sides);
    expect(Never.transitions).toHaveLength(1);
    expect(text).toContain(
      'changes: 1 block added, 1 block removed, 1 block changed, transitions of 1 signal added, ' +
        'transitions of 1 signal removed, transitions of 1 signal redirected.',
    );
    const part = (heading: string): string => text.slice(text.indexOf(heading)).split('\n### ')[0]?.trimEnd() ?? '';
    const field = (name: string, ...lines: readonly string[]): string =>
      `\`${name}\`\n\n\`\`\`diff\n${lines.join('\n')}\n\`\`\``;
    expect(part('block `Fix__Check`')).toBe(
      [
        'block `Fix__Check`: added',
        ...[field('worker', '+ Worker:W'), field('contract', '+ Check it.'), field('gate', '+ true')],
        field('max_rejections', '+ 3'),
        field('SIGNAL:SUCCESS', '+ JUMP:Fix__Test'),
      ].join('\n\n'),
    );
    expect(part('block `Fix__Never`')).toBe(
      [
        'block `Fix__Never`: removed',
        field('worker', '- Worker:W'),
        field('SIGNAL:FAIL_DEFAULT', '- HALT_AND_FLAG'),
      ].join('\n\n'),
    );
    expect(part('block `Fix__Write`')).toContain(
      '`SIGNAL:SUCCESS` redirected\n\n```diff\n- JUMP:Fix__Test\n+ JUMP:Fix__Check',
    );
    const page = differencesPage(compareGraphs(sides.before, sides.after), [], sides);
    expect(page).toContain('<h3>SIGNAL:SUCCESS <small>redirected</small></h3>');
    expect(page).toContain('<h3>contract</h3><pre><ins>Check it.</ins></pre>');
  });

  test('show equal lines at both ends of a value once', () => {
    const lines = (before: JsonValue, after: JsonValue): readonly string[] =>
      differenceLines({ before, after }).map(({ sign, text }) => `${sign}${text}`);
    expect(lines('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c']);
    expect(lines('a', 'a\na')).toEqual([' a', '+a']);
    expect(lines('a\nb', 'b')).toEqual(['-a', ' b']);
    expect(lines(null, 'a')).toEqual(['+a']);
    expect(lines({ x: 1 }, { x: 2 })).toEqual([' {', '-  "x": 1', '+  "x": 2', ' }']);
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
    const sides = {
      before: workflow().graph,
      after: workflow({ ...BLOCKS, New: { ...BLOCKS.Never, contract: evil } }, evil).graph,
    };
    const hostile = compareGraphs(sides.before, sides.after);
    const page = differencesPage(hostile, [], sides);
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain("default-src 'none'");
    const markdown = differencesMarkdown(hostile, sides);
    const fences = Array.from(markdown.matchAll(/^`{5}(?=diff)/gm));
    // One fence contains the worker's persona, the other one the new block's contract.
    expect(fences.length).toBe(2);
    expect(markdown.split('\n').filter((line) => line === '`````').length).toBe(2);
    expect(markdown + page).not.toContain('\u202e');
  });
});

test('texts in Markdown end neither code nor a cell', () => {
  expect(code('a `b` | c')).toBe('``a `b` \\| c``');
  expect(code('`x')).toBe('`` `x ``');
  expect(inline('[a](b) <i> *c*')).toBe('\\[a\\]\\(b\\) \\<i\\> \\*c\\*');
  expect(fenced(['```', 'x'], '')).toBe('````\n```\nx\n````\n');
});
