import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { simulateSources } from '../../support/simulate.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/verdicts.md'), 'utf8');
const [reviewers = '', data = ''] = Array.from(page.matchAll(/```json\n([\s\S]*?)```/g), ([, text]) => text ?? '');

async function play(text: string, script: JsonObject) {
  const found: Diagnostic[] = [];
  const outcome = await simulateSources(
    [{ path: 'workflows.json', text }],
    'Feature' in nodesOf(text) ? 'Feature' : 'Review',
    JSON.stringify(script),
    {
      onDiagnostics: (diagnostics) => void found.push(...diagnostics),
    },
  );
  return {
    ...outcome,
    diagnostics: found,
    signals: outcome.path.map(({ block, signal, action }) => `${block} ${signal ?? '-'} ${action ?? '-'}`),
  };
}

const nodesOf = (text: string): object => (JSON.parse(text) as { readonly nodes: object }).nodes;

const OK = { text: 'Fine.\nSIGNAL:SUCCESS' };
const NO = { text: 'A key is logged.\nSIGNAL:FAILURE' };

test('the workflow with two reviewers has at most 25 lines', () => {
  expect(reviewers.trim().split('\n').length).toBeLessThanOrEqual(25);
});

test('two reviewers who agree end it', async () => {
  const { diagnostics, success, signals } = await play(reviewers, { '*': [OK] });
  expect([diagnostics, success]).toEqual([[], true]);
  expect(signals).toEqual([
    'Feature__Implement SIGNAL:SUCCESS FORK:Security,Style:Feature__Verdict',
    'Security__Review SIGNAL:SUCCESS RETURN',
    'Style__Review SIGNAL:SUCCESS RETURN',
    'Feature__Verdict SIGNAL:SUCCESS RETURN',
  ]);
});

test('one who objects sends it back, twice; then a person is asked', async () => {
  const { reason, signals, payload } = await play(reviewers, { Security__Review: [NO], '*': [OK] });
  expect(reason).toBe('halted');
  expect(signals.filter((line) => line.startsWith('Feature__Verdict'))).toEqual([
    'Feature__Verdict SIGNAL:FAILURE JUMP:Feature__Implement',
    'Feature__Verdict SIGNAL:FAILURE JUMP:Feature__Implement',
    'Feature__Verdict SIGNAL:FAILURE HALT_AND_FLAG',
  ]);
  expect(payload.at(-1)?.content).toBe(
    'Verdict SIGNAL:FAILURE: 1 of 2 returned SIGNAL:SUCCESS; the rule is "all".\nSecurity: SIGNAL:FAILURE\nStyle: SIGNAL:SUCCESS',
  );
});

test.each([
  ['high', 'halted'],
  ['low', null],
])('data with the risk %s decides', async (risk, reason) => {
  const text = `One finding.\n\n\`\`\`json\n{"risk": "${risk}", "findings": [], "more": 1}\n\`\`\`\nSIGNAL:SUCCESS`;
  const outcome = await play(data, { Review__Look: [{ text }] });
  expect([outcome.diagnostics, outcome.reason, outcome.exports]).toEqual([[], reason, { risk, findings: [] }]);
});
