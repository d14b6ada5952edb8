import { parse } from 'jsonc-parser';
import { afterEach, describe, expect, test } from 'vitest';
import schema from '../../schemas/workflow.schema.json' with { type: 'json' };
import { type CommandProject, commandProject } from '../declared/a-project.ts';
import { type Snippet, SNIPPETS, textOf } from './pages.ts';

/** The languages whose blocks are executed or compiled. */
const TESTED: ReadonlySet<string> = new Set(['sh', 'console', 'json', 'jsonc', 'ts', 'js']);

/** Blocks that other tests execute, by page and, if it matters, language. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^docs\/cookbook\/.* (?:jsonc|json|console)$/, 'test/docs/cookbook.test.ts simulates them'],
  [/^docs\/tutorial\.md /, 'test/docs/tutorial.test.ts follows the page'],
  [/ sh$/, 'test/docs/commands.test.ts executes them'],
  [/^README\.md console$/, 'test/e2e/cli/readme.test.ts compares what it prints'],
  [/^docs\/guides\/library\.md ts$/, 'test/e2e/package compiles and executes them with the packed library'],
  [/^docs\/reference\/(?:events|host-protocol)\.md ts$/, 'they are generated from the types in src/protocol'],
];

/** Blocks that no test executes, with the reason. */
const NOT_TESTED: readonly (readonly [string, string])[] = [
  ['docs/guides/code-analysis.md json', 'the settings of another program'],
  ['docs/guides/inspector.md ts', 'an excerpt for a program of the reader, with a placeholder for the address'],
];

const keyOf = ({ page, language }: Snippet): string => `${page} ${language}`;

const isElsewhere = (snippet: Snippet): boolean => ELSEWHERE.some(([pattern]) => pattern.test(keyOf(snippet)));
const isNotTested = (snippet: Snippet): boolean => NOT_TESTED.some(([key]) => key === keyOf(snippet));

const candidates = SNIPPETS.filter((one) => TESTED.has(one.language) && !isElsewhere(one) && !isNotTested(one));

type Value = Readonly<Record<string, unknown>>;

/** Parses a block. If it begins with a key, it is parsed as the content of an object. */
const valueOf = ({ text }: Snippet): Value => parse(text.startsWith('"') ? `{${text}}` : text) as Value;

const KEYS: ReadonlySet<string> = new Set(Object.keys(schema.properties));

const hasWorker = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'worker');

/** Returns what a JSON block contains: a manifest, a part of one, blocks of a node, a script, or a registry. */
function kindOf(value: Value): 'manifest' | 'part' | 'blocks' | 'script' | 'registry' | null {
  const keys = Object.keys(value);
  if (keys.includes('$files')) return 'registry';
  if (keys.includes('nodes')) return 'manifest';
  if (keys.every((key) => KEYS.has(key))) return 'part';
  if (Object.values(value).every(hasWorker)) return 'blocks';
  return keys.some((key) => key === '*' || key.includes('__')) ? 'script' : null;
}

let at: CommandProject | null = null;
afterEach(() => at?.remove());

const SOURCES = { '.flow/.keep': '', 'src/split-bill.js': '', 'test/split-bill.test.js': '' };

async function validate(manifest: unknown): Promise<readonly [number, string]> {
  at = commandProject({ ...SOURCES, '.vision/workflows.jsonc': manifest });
  const { code, err } = await at.robosmith('validate');
  return [code, err];
}

const FINE = [0, expect.stringContaining('no problems.')];

/** A manifest with the keys that partial manifests omit. */
const AROUND = {
  version: 1,
  commands: { test: ['npm', 'test'] },
  nodes: { Main: { entry_block: 'Ask', blocks: { Ask: { worker: 'Internal:ManualIntervention' } } } },
};

const ROW = { worker: 'Internal:Verdict', params: { rule: 'any' }, on: { FAIL_DEFAULT: 'HALT_AND_FLAG' } };

describe('every block of code', () => {
  test('is of a kind that is tested', () => {
    expect(candidates.filter((one) => kindOf(valueOf(one)) === null).map(({ name }) => name)).toEqual([]);
    expect(candidates.length).toBeGreaterThan(20);
  });

  test('that is left out still exists, and so does every block that is tested elsewhere', () => {
    const keys = SNIPPETS.map(keyOf);
    expect(NOT_TESTED.filter(([key]) => !keys.includes(key))).toEqual([]);
    expect(ELSEWHERE.filter(([pattern]) => !keys.some((key) => pattern.test(key)))).toEqual([]);
  });
});

/** Simulates a workflow made of the blocks that the script has answers for. */
async function simulate(script: string): Promise<readonly [number, string]> {
  const blocks = {
    Test: { worker: 'Internal:TestRunner', on: { SUCCESS: 'JUMP:Accept', FAILURE: 'JUMP:Test' } },
    Accept: { worker: 'Internal:ManualIntervention', on: { SUCCESS: 'RETURN' } },
  };
  const manifest = { ...AROUND, nodes: { Fix: { entry_block: 'Test', blocks } } };
  at = commandProject({ ...SOURCES, '.vision/workflows.jsonc': manifest, 'answers.json': script });
  const { code, err } = await at.robosmith('simulate', 'Fix', '--script', 'answers.json');
  return [code, err];
}

/** Loads the modules of a registry, each of which is a worker that does nothing. */
async function check(registry: Value): Promise<readonly [number, string]> {
  const targets = Object.values(registry).filter((one) => typeof one === 'string');
  const modules = targets.map((target): readonly [string, string] => {
    const [file = '', name = ''] = target.replace('./', '').split('#');
    return [
      file,
      `export const ${name} = { sideEffects: 'none', execute: async () => ({ signal: 'SIGNAL:SUCCESS' }) };`,
    ];
  });
  at = commandProject({
    ...SOURCES,
    ...Object.fromEntries(modules),
    '.vision/workflows.jsonc': AROUND,
    '.flow/flow.registry.json': registry,
  });
  const { code, err } = await at.robosmith('registry', 'check', '--trust');
  return [code, err];
}

test.each(candidates.map((one) => [one.name, kindOf(valueOf(one)), one] as const))(
  '%s is a valid %s',
  async (_name, kind, snippet) => {
    const value = valueOf(snippet);
    switch (kind) {
      case 'manifest':
        return expect(await validate(snippet.text)).toEqual(FINE);
      case 'part':
        return expect(await validate({ ...AROUND, ...value })).toEqual(FINE);
      case 'blocks': {
        const node = { entry_block: Object.keys(value)[0], blocks: { ...value, Implement: ROW } };
        return expect(await validate({ version: 1, nodes: { Main: node } })).toEqual([0, expect.any(String)]);
      }
      case 'script':
        return expect(await simulate(snippet.text)).toEqual([0, expect.stringContaining('Completed in 3 steps')]);
      case 'registry':
        return expect(await check(value)).toEqual([0, expect.any(String)]);
      case null:
        throw new Error(`${snippet.name}: it is not known how this is tested`);
    }
  },
);

test('the common job has at most fifteen lines', () => {
  const [job] = SNIPPETS.filter((one) => one.page === 'docs/guides/everyday-form.md' && one.language === 'jsonc');
  expect(job?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
});

test('the pages about other programs count the lines of their workflows', () => {
  const linesOf = (page: string): readonly number[] =>
    SNIPPETS.filter((one) => one.page === page && one.language === 'jsonc').map(
      ({ text }) => text.trimEnd().split('\n').length,
    );
  const [byDefault, review] = linesOf('docs/coming-from/takt.md');
  const [plan] = linesOf('docs/cookbook/plan-to-merge.md');
  const takt = textOf('docs/coming-from/takt.md');
  expect(/^\| `default` \|.*\| (\d+) \|$/m.exec(takt)?.[1]).toBe(String(byDefault));
  expect(/^\| `review` \|.*\| (\d+) \|$/m.exec(takt)?.[1]).toBe(String(review));
  expect(textOf('docs/cookbook/plan-to-merge.md')).toContain(`the merge: ${plan} lines,`);
  expect(textOf('docs/coming-from/archon.md')).toContain(`[${plan} lines and 7 calls]`);
});
