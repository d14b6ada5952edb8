import { expect, test } from 'vitest';
import { missingIgnoreRules, STARTER_ANSWERS, starterRegistry } from '#cli/starter/starter-files.ts';
import { starterManifest } from '#cli/starter/manifest.ts';
import { atLeast } from '#cli/doctor/check.ts';
import { compile, parseScript } from '#compiler/index.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';

test.each([{}, { lint: ['x'] }, { test: ['npm', 'test'], lint: ['say "hi"'] }])(
  'the starter manifest is without a fault, with commands %j',
  (commands) => {
    const { workflow, diagnostics } = compile([{ path: '.vision/workflows.json', text: starterManifest(commands) }]);
    expect(diagnostics).toEqual([]);
    expect(workflow?.graph.commands).toEqual({ test: ['node', '--test'], ...commands });
    expect(parseScript({ path: 'answers.json', text: STARTER_ANSWERS }, workflow!.graph).diagnostics).toEqual([]);
  },
);

test('the starter names the schema where one is installed', () => {
  const text = starterManifest({}, '../node_modules/robo-smith/schemas/workflow.schema.json');
  expect(text.split('\n').slice(0, 2)).toEqual([
    '{',
    '  "$schema": "../node_modules/robo-smith/schemas/workflow.schema.json",',
  ]);
  expect(compile([{ path: '.vision/workflows.json', text }]).diagnostics).toEqual([]);
});

test('the starter registry lists all that there is', () => {
  expect(JSON.parse(starterRegistry())).toEqual({
    'Internal:TestRunner': 'builtin:TestRunner',
    'Internal:RunLinter': 'builtin:RunLinter',
    'Internal:RunBuilder': 'builtin:RunBuilder',
    'Internal:Command': 'builtin:Command',
    'Internal:FileSystemWriter': 'builtin:FileSystemWriter',
    'Internal:DocumentationWriter': 'builtin:DocumentationWriter',
    'Internal:UpdateChangePlan': 'builtin:UpdateChangePlan',
    'Internal:Verdict': 'builtin:Verdict',
    'Internal:ContextQuery': 'builtin:ContextQuery',
    'Internal:GitCommit': 'builtin:GitCommit',
    'Internal:Diff': 'builtin:Diff',
    'Internal:PullRequest': 'builtin:PullRequest',
    'Internal:Loom': 'builtin:Loom',
    'Internal:ManualIntervention': 'builtin:ManualIntervention',
  });
  expect(Object.keys(JSON.parse(starterRegistry()) as object)).toEqual([...BUILT_IN_WORKERS.keys()]);
});

test('only the ignore rules that are missing are added', () => {
  const all = missingIgnoreRules('');
  expect(all).toBe('# RoboSmith\n.flow/*\n!.flow/flow.registry.json\n!.flow/status.md\n.vision/logs/\n');
  expect(missingIgnoreRules(all)).toBe('');
  expect(missingIgnoreRules(all.replaceAll('\n', '\r\n'))).toBe('');
  expect(missingIgnoreRules('dist/\n.flow/*')).toBe(
    '\n\n# RoboSmith\n!.flow/flow.registry.json\n!.flow/status.md\n.vision/logs/\n',
  );
});

test.each([
  ['24.1.0', '22.16.0', true],
  ['22.16.0', '22.16.0', true],
  ['22.9.9', '22.16.0', false],
  ['2.39.5', '2.38', true],
  ['2.4', '2.38.0', false],
])('version %s is at least %s: %s', (a, b, yes) => {
  expect(atLeast(a, b)).toBe(yes);
});
