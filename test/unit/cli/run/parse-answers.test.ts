import { expect, test } from 'vitest';
import { findStart } from '#cli/run/find-start.ts';
import { parseAnswers } from '#cli/run/parse-answers.ts';
import { sampleGraph } from '../../compiler-export/sample-graph.ts';

const graph = sampleGraph({ Main: { One: { rows: [] }, Two: { rows: [] } }, Other: { One: { rows: [] } } });

test('verbs, and jumps within a node by the short name', () => {
  expect(parseAnswers(['Main__One=retry', 'Two=jump:One', 'Block:Main__Two=jump:Other__One'], graph)).toEqual([
    { block: 'Main__One', answer: { verb: 'retry' } },
    { block: 'Main__Two', answer: { verb: 'jump', block: 'Main__One' } },
    { block: 'Main__Two', answer: { verb: 'jump', block: 'Other__One' } },
  ]);
});

test.each([
  [
    'Main__One',
    '"Main__One" is not an answer: write --answer <block>=<retry, proceed, reject:<reason>, next, jump:<block> or abort>.',
  ],
  ['Main__Onw=retry', 'The manifest has no block "Main__Onw". Did you mean "Main__One"?'],
  ['One=retry', 'The manifest has no block "One".'],
  ['Main__One=reject: ', '"reject: " is not an answer: use retry'],
  [
    'Main__One=retyr',
    '"retyr" is not an answer: use retry, proceed, reject:<reason>, next, jump:<block> or abort. Did you mean "retry"?',
  ],
])('%s is refused', (text, message) => {
  expect(() => parseAnswers([text], graph)).toThrow(message);
});

test.each([
  ['Main', { start: { node: 'Main' } }],
  ['Node:Main', { start: { node: 'Main' } }],
  ['Main__Two', { start: { block: 'Main__Two' } }],
  ['Two', { start: { block: 'Main__Two' } }],
  ['Mian', { message: 'The manifest has no node or block "Mian". Did you mean "Main"?', known: ['Main', 'Other'] }],
])('a run may start at %s', (name, found) => {
  expect(findStart(name, graph)).toEqual(found);
});
