import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fencesOf } from '../../scripts/docs/read-page.ts';
import { type CommandProject, commandProject } from '../declared/a-project.ts';
import { ROOT, textOf } from './pages.ts';

const RECIPES = globSync('docs/cookbook/*.md', { cwd: ROOT })
  .map((page) => page.replaceAll('\\', '/'))
  .filter((page) => !page.endsWith('/index.md'))
  .sort();

let at: CommandProject | null = null;
afterEach(() => at?.remove());

interface Recipe {
  readonly manifest: string;
  readonly answers: string;
  /** The arguments of the command that the page shows, without the name of the program. */
  readonly words: readonly string[];
  readonly command: string;
  readonly printed: string;
}

function recipeOf(page: string): Recipe {
  const fences = fencesOf(textOf(page));
  const only = (language: string): string => {
    const [first, ...more] = fences.filter((fence) => fence.language === language);
    if (first === undefined || more.length > 0) throw new Error(`${page} should have one block of ${language}`);
    return first.text;
  };
  const [typed = '', ...printed] = only('console').split('\n');
  const command = typed.replace(/^\$ /, '');
  const words = (command.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
  return {
    manifest: only('jsonc'),
    answers: only('json'),
    words: words.slice(1),
    command,
    printed: printed.join('\n'),
  };
}

const setUp = ({ manifest, answers }: Recipe): CommandProject => {
  const source = { 'src/split-bill.js': '', 'test/split-bill.test.js': '', 'CHANGELOG.md': '# Changes\n' };
  return commandProject({ ...source, '.flow/.keep': '', '.vision/workflows.jsonc': manifest, 'answers.json': answers });
};

/** Replaces the output shown on the page by the actual output of the command. */
function rewrite(page: string, { command, printed }: Recipe, actual: string): void {
  const block = (text: string): string => `\`\`\`console\n$ ${command}\n${text}\`\`\``;
  writeFileSync(
    join(ROOT, page),
    textOf(page).replace(block(printed), () => block(actual)),
  );
}

test('there are ten, and the index lists them', () => {
  expect(RECIPES).toHaveLength(10);
  const index = textOf('docs/cookbook/index.md');
  const listed = Array.from(index.matchAll(/\]\(([\w-]+\.md)\)/g), ([, file]) => `docs/cookbook/${file ?? ''}`);
  expect(listed.sort()).toEqual(RECIPES);
});

describe.each(RECIPES)('%s', (page) => {
  test('compiles without a finding, and is formatted', async () => {
    at = setUp(recipeOf(page));
    const validated = await at.robosmith('validate');
    expect([validated.code, validated.err]).toEqual([0, expect.stringContaining('no problems.')]);
    const formatted = await at.robosmith('fmt', '--check');
    expect([formatted.code, formatted.err]).toEqual([0, expect.stringContaining('formatted already')]);
  });

  test('its simulation prints what the page shows', async () => {
    const recipe = recipeOf(page);
    at = setUp(recipe);
    const { code, err } = await at.robosmith(...recipe.words);
    if (process.env['UPDATE'] === '1') rewrite(page, recipe, err);
    else expect([code, err]).toEqual([0, recipe.printed]);
  });
});

test('the whole job takes at most 25 lines and 7 agent calls', async () => {
  const recipe = recipeOf('docs/cookbook/plan-to-merge.md');
  const lines = recipe.manifest.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(140);
  at = setUp(recipe);
  const { code, out } = await at.robosmith(...recipe.words, '--json');
  const { path, success } = JSON.parse(out) as {
    readonly success: boolean;
    readonly path: readonly { readonly block: string }[];
  };
  expect([code, success]).toEqual([0, true]);
  // The expected steps: a plan, the work, two reviews of which one objects, the repair, and two more reviews.
  const { nodes } = JSON.parse((await at.robosmith('manifest', 'show', '--resolved')).out) as {
    readonly nodes: Readonly<
      Record<string, { readonly blocks: Readonly<Record<string, { readonly worker: string }>> }>
    >;
  };
  const workerOf = (block: string): string => {
    const [node = '', name = ''] = block.split('__');
    return nodes[node]?.blocks[name]?.worker ?? nodes[node]?.blocks[block]?.worker ?? 'unknown';
  };
  const calls = path.map(({ block }) => block).filter((block) => workerOf(block).startsWith('Worker:'));
  expect(calls).toEqual([
    'Job__Plan',
    'Job__Implement',
    'Security__Review',
    'Style__Review',
    'Job__Implement',
    'Security__Review',
    'Style__Review',
  ]);
});
