import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { project, type Project } from './robosmith.ts';

const page = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

const SOURCE = { 'src/split-bill.js': 'export const splitBill = () => [];\n' };

let at: Project;
afterEach(() => at.remove());

const fenced = (language: string, name = 'README.md'): readonly string[] =>
  Array.from(page(name).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')), ([, text = '']) => text);

const WORKFLOWS = [...fenced('jsonc'), ...fenced('json', 'docs/guides/agents.md')];

test.each(WORKFLOWS.map((text) => [text]))('a workflow of the documents has no finding: %#', async (text) => {
  at = await project({ ...SOURCE, '.vision/workflows.json': text });
  const { code, err } = await at.robosmith('validate');
  expect([code, err]).toEqual([0, expect.stringContaining('no problems.')]);
});

test('its simulation comes out as it is printed there', async () => {
  const [console = ''] = fenced('console');
  const [, answers = '', printed = ''] = /^\$ cat answers\.json\n(.*?)^\$ npx [^\n]*\n(.*)$/ms.exec(console) ?? [];
  at = await project({ ...SOURCE, '.vision/workflows.json': WORKFLOWS[0], 'answers.json': answers });
  const { code, err } = await at.robosmith('simulate', 'Fix', '--script', 'answers.json');
  expect([WORKFLOWS.length, code, err]).toEqual([2, 0, printed]);
});
