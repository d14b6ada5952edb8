import { expect, test } from 'vitest';
import { formatManifest } from '#compiler/index.ts';

test('a list that ends on a line of its own keeps the indentation of its bracket', () => {
  const text = '{\n  "imports": [\n    "./a.json"\n  ],\n  "nodes": {}\n}\n';
  expect(formatManifest(text)).toBe(text);
});

test('blanks inside of brackets in one line are removed', () => {
  expect(formatManifest('{ "imports": [ "./a.json" ], "nodes": { } }')).toBe(
    '{ "imports": ["./a.json"], "nodes": {} }\n',
  );
});
