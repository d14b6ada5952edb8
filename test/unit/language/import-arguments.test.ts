import { describe, expect, test } from 'vitest';
import { complete, createProjects } from '#language/index.ts';
import { schema } from './fixture.ts';

const REVIEW = {
  version: 1,
  parameters: {
    focus: { description: 'What is looked at.' },
    depth: { type: 'number', default: 2 },
    strict: { type: 'boolean', default: false },
    mode: { enum: ['fast', 'careful'], default: 'fast' },
  },
  nodes: { Review: { entry_block: 'read', blocks: { read: { worker: 'Internal:Command' } } } },
};

/** Returns the completions at the mark `|` of a manifest. */
function offered(text: string) {
  const offset = text.indexOf('|');
  const line = text.slice(0, offset).split('\n').length - 1;
  const character = offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const sources = [
    { path: '.vision/main.json', text: text.replace('|', '') },
    { path: '.vision/review.json', text: JSON.stringify(REVIEW) },
  ];
  return complete(createProjects()(sources, {}), '.vision/main.json', { line, character }, schema);
}

const labels = (text: string): readonly string[] => offered(text).map(({ label }) => label);
const manifest = (imported: string, action = 'RETURN'): string =>
  `{ "version": 1, "imports": [${imported}], "nodes": { "Main": { "entry_block": "one", "blocks": { "one": { "worker": "Internal:Command", "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "${action}" }] } } } } }`;

describe('an import with arguments', () => {
  test('completes the parameters of its file, the required ones first, without those that are given', () => {
    const text = manifest('{ "from": "./review.json", "with": { "depth": 1, | } }');
    expect(offered(text).map(({ label, newText, detail }) => [label, newText, detail])).toEqual([
      ['focus', '"focus": "$1"', 'required'],
      ['strict', '"strict": true', ''],
      ['mode', '"mode": "$1"', ''],
    ]);
    expect(offered(text)[0]?.documentation).toBe('What is looked at.');
  });

  test('completes nothing for a file that is not there', () => {
    expect(labels(manifest('{ "from": "./other.json", "with": { | } }'))).toEqual([]);
  });

  test('completes the values that a parameter allows', () => {
    expect(labels(manifest('{ "from": "./review.json", "with": { "mode": | } }'))).toEqual(['fast', 'careful']);
    expect(labels(manifest('{ "from": "./review.json", "with": { "strict": | } }'))).toEqual(['true', 'false']);
  });

  test('completes its own keys', () => {
    expect(labels(manifest('{ | }'))).toEqual(['from', 'as', 'with']);
  });

  test('its name is offered as a node', () => {
    expect(labels(manifest('{ "from": "./review.json", "as": "Security" }', 'CALL:|'))).toEqual(
      expect.arrayContaining(['Main', 'Security']),
    );
  });
});
