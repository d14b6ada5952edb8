import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { project, to, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

interface Resolved {
  readonly nodes: Readonly<
    Record<
      string,
      { readonly static_memory?: object; readonly blocks: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
    >
  >;
}

const MAIN = `{
  "version": 1,
  "imports": ["./lib/base.json"],
  "nodes": {
    "Derived": {
      "extend": "Base",
      "mixins": ["Mixed"],
      "static_memory": { "rules": { "style": "own" } },
      "blocks": {
        "B": { "worker": "Internal:TestRunner", "contract": "Own B.", "onSuccess": { "type": "return" } }
      }
    }
  }
}
`;

const block = (contract: string) => ({
  worker: 'Internal:TestRunner',
  contract,
  transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
});

const BASE = {
  nodes: {
    Base: {
      entry_block: 'A',
      static_memory: { rules: { style: 'base', lang: 'ts' } },
      blocks: { A: block('Base A.'), B: block('Base B.') },
    },
    Mixed: { static_memory: { rules: { tests: 'always' } }, blocks: { A: block('Base A.'), C: block('Mixed C.') } },
  },
};

test('manifest show --resolved prints what is left of extend, mixins, imports and sugar, with the origin of every block', async () => {
  verifies('manifest.show-resolved', 'manifest.extend.static-memory-deep', 'manifest.mixins.fill-missing');
  const lib = JSON.stringify(BASE, null, 2);
  at = await project({ '.vision/workflows.json': MAIN, '.vision/lib/base.json': lib });
  const { code, out } = await at.robosmith('manifest', 'show', '--resolved');
  expect(code).toBe(0);
  const { Derived } = (JSON.parse(out) as Resolved).nodes;
  const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
  expect(Derived?.static_memory).toEqual({ rules: { style: 'own', lang: 'ts', tests: 'always' } });
  const { A, B, C } = Derived?.blocks ?? {};
  const file = '.vision/lib/base.json';
  expect(A).toMatchObject({ contract: 'Base A.', 'x-origin': { file, line: lineOf(lib, '"A": {') } });
  expect(C).toMatchObject({ contract: 'Mixed C.', 'x-origin': { file, line: lineOf(lib, '"C": {') } });
  expect(B).toMatchObject({
    contract: 'Own B.',
    'x-origin': { file: '.vision/workflows.json', line: lineOf(MAIN, '"B": {') },
    transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
  });
  await writeFile(at.file('again.json'), out);
  const again = await at.robosmith('diff', '.vision/workflows.json', 'again.json');
  expect(again.out).toBe('✓ Same behaviour.\n');
});
