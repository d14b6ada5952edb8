import { expect, test } from 'vitest';
import { schemaPathsOf } from '#compiler/index.ts';

test.each([
  '"schema": "a.json"',
  '"schema":/* of it */"a.json"',
  '"schema" /* of it */ : "a.json"',
  '"schema" // of it\n:"a.json"',
])('a file is named by %s', (written) => {
  const text = `{"nodes": {"A": {"blocks": {"b": {"validation": {${written}}}}}}}`;
  expect(schemaPathsOf({ path: '.vision/workflows.json', text })).toEqual(['.vision/a.json']);
});
