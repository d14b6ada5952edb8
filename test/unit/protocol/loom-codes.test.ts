import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = (name: string): string => readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');

test('every code of the Loom is in the schema and explained', () => {
  const schema = JSON.parse(text('response.schema.json')) as {
    readonly definitions: {
      readonly loomProblem: { readonly properties: { readonly code: { readonly enum: readonly string[] } } };
    };
  };
  const [, table = ''] = text('errors.md').split('# Codes of the Loom');
  const [own = ''] = table.split('\n# ');
  const explained = [...own.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  expect(explained).toEqual(schema.definitions.loomProblem.properties.code.enum);
});
