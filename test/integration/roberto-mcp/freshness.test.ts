import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Analysis, type Answer, makeScene, openAnalysis, type Scene } from './analysis.ts';
import { seed } from '../../support/seeded-random.ts';

const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
const FILES = ['a.ts', 'b.ts', 'lib/c.ts', 'lib/deep/d.py', 'e.go', 'notes.md', 'lib/f.ts'] as const;
const FOLDERS = ['lib', 'lib/deep', 'other'] as const;

const sourceOf = (path: string, name: string, use: string, serial: number): string => {
  if (path.endsWith('.py')) return `def ${name}():\n    return ${use}(${serial})\n`;
  if (path.endsWith('.go')) return `package x\n\nfunc ${name}() int { return ${use}(${serial}) }\n`;
  if (path.endsWith('.md')) return `# ${name}\n\n${use} ${serial}\n`;
  return `import { ${use} } from './b.ts';\nexport const ${name} = () => ${use}(${serial});\n`;
};

type Step =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly name: string;
      readonly use: string;
      readonly serial: number;
    }
  | { readonly kind: 'remove' | 'copyTwice' | 'rewriteUnnoticed'; readonly path: string }
  | { readonly kind: 'rename' | 'swap'; readonly path: string; readonly to: string }
  | { readonly kind: 'renameFolder' | 'removeFolder'; readonly folder: string }
  | { readonly kind: 'commit' | 'switch' | 'restore' | 'reset' }
  | { readonly kind: 'travel'; readonly steps: number }
  | { readonly kind: 'ignore'; readonly path: string }
  | { readonly kind: 'many'; readonly name: string; readonly count: number };

const path = fc.constantFrom(...FILES);
const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), path, name, use: name, serial: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('remove' as const, 'copyTwice' as const, 'rewriteUnnoticed' as const),
      path,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'swap' as const), path, to: path }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('renameFolder' as const, 'removeFolder' as const),
      folder: fc.constantFrom(...FOLDERS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('commit' as const, 'switch' as const, 'restore' as const, 'reset' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('travel' as const), steps: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ignore' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('many' as const), name, count: fc.integer({ min: 1, max: 60 }) }),
  },
);

/** Changes a file without changing its length or modification time. */
function rewriteUnnoticed(file: string): void {
  const text = readFileSync(file, 'utf8');
  const { atime, mtime } = statSync(file);
  writeFileSync(
    file,
    text.replace(/alpha|gamma|delta/gu, (word) => (word === 'gamma' ? 'delta' : 'gamma')),
  );
  utimesSync(file, atime, mtime);
}

function swap(one: string, other: string): void {
  renameSync(one, `${one}.swapped`);
  renameSync(other, one);
  renameSync(`${one}.swapped`, other);
}

/** Checks out one of the commits made so far. */
function travel(scene: Scene, steps: number): void {
  const commits = scene.git('rev-list', '--all').trim().split('\n');
  scene.git('checkout', '--quiet', '--force', '--detach', commits[steps % commits.length] ?? 'HEAD');
}

/** Runs a step. If the current files make it impossible, it changes nothing. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The file to remove or to move doesn't exist.
  }
}

function play(scene: Scene, taken: Step): void {
  const at = (relative: string): string => join(scene.root, relative);
  switch (taken.kind) {
    case 'write':
      return quietly(() => scene.write(taken.path, sourceOf(taken.path, taken.name, taken.use, taken.serial)));
    case 'copyTwice':
      // Both texts have the same length and are written within one tick of the file system's clock.
      return quietly(() => {
        scene.write(taken.path, sourceOf(taken.path, 'alpha', 'gamma', 1));
        scene.write(taken.path, sourceOf(taken.path, 'gamma', 'alpha', 2));
      });
    case 'rewriteUnnoticed':
      return quietly(() => rewriteUnnoticed(at(taken.path)));
    case 'swap':
      return quietly(() => swap(at(taken.path), at(taken.to)));
    case 'reset':
      return void scene.git('reset', '--hard', '--quiet');
    case 'travel':
      return quietly(() => travel(scene, taken.steps));
    case 'remove':
      return rmSync(at(taken.path), { force: true, recursive: true });
    case 'rename':
      return quietly(() => renameSync(at(taken.path), at(taken.to)));
    case 'renameFolder':
      return quietly(() => renameSync(at(taken.folder), at(`moved-${taken.folder.replace('/', '-')}`)));
    case 'removeFolder':
      return rmSync(at(taken.folder), { force: true, recursive: true });
    case 'commit':
      scene.git('add', '--all');
      return void scene.git('commit', '--quiet', '--allow-empty', '--message=step');
    case 'switch':
      scene.git('stash', '--include-untracked', '--quiet');
      return void scene.git('checkout', '--quiet', '-B', 'side', 'main');
    case 'restore':
      return quietly(() => void scene.git('stash', 'pop', '--quiet'));
    case 'ignore':
      return writeFileSync(at('.gitignore'), `/${taken.path}\n`);
    case 'many':
      mkdirSync(at('other/generated'), { recursive: true });
      for (let index = 0; index < taken.count; index += 1)
        writeFileSync(at(`other/generated/n${index}.ts`), sourceOf('n.ts', `${taken.name}${index}`, taken.name, index));
  }
}

const withoutScores = (answer: Answer): Answer => {
  const hits = answer['hits'] as readonly { readonly file: string; readonly line: number; readonly snippet: string }[];
  const rows = hits.map(({ file, line, snippet }) => `${file}:${line} ${snippet}`).sort();
  return { hits: rows, truncated: answer['truncated'] };
};

/** Returns the answers of an index to all queries, so that two indexes can be compared. */
async function everything({ ask, worktree }: Analysis): Promise<Answer> {
  await worktree.freshen();
  const paths = [...worktree.files.paths()].sort();
  const answers: Record<string, unknown> = { paths };
  for (const one of paths) {
    if (worktree.files.get(one)?.blob === null) continue;
    answers[`outline ${one}`] = await ask('get_file_outline', { file_path: one });
  }
  for (const one of NAMES) {
    answers[`references ${one}`] = await ask('get_symbol_references', { name: one, max_results: 1_000 });
    answers[`search ${one}`] = withoutScores(await ask('code_search', { query: one, max_results: 1_000 }));
    answers[`find ${one}`] = await ask('find_symbol', { query: one, max_results: 1_000 });
  }
  if (worktree.files.get('b.ts') !== undefined)
    answers['dependents'] = await ask('get_dependencies', { file_path: 'b.ts', direction: 'both', hops: 3 });
  answers['map'] = await ask('get_repo_map', { token_budget: 2_000 });
  return answers;
}

async function scratch(scene: Scene, serial: number): Promise<Answer> {
  const analysis = openAnalysis(scene.root, join(scene.folder, `scratch-${serial}`), false);
  try {
    return await everything(analysis);
  } finally {
    analysis.close();
  }
}

/** The number of random runs. More runs find more errors: set the variable for a manual search. */
const RUNS = Number(process.env['ROBOSMITH_FRESHNESS_RUNS'] ?? 4);
const start = Object.fromEntries(
  FILES.slice(0, 4).map((one, index) => [one, sourceOf(one, NAMES[index]!, 'beta', index)]),
);

describe.each([
  ['with a watcher', true],
  ['without a watcher', false],
])('%s', (_, watch) => {
  test(`after any edits, renames and branch switches each answer is that of an index built from scratch (ROBOSMITH_SEED=${seed})`, async () => {
    console.log(`ROBOSMITH_SEED=${seed}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
        async (rounds) => {
          const scene = makeScene(start);
          const analysis = openAnalysis(scene.root, scene.cache, watch);
          try {
            await everything(analysis);
            for (const [serial, steps] of rounds.entries()) {
              for (const taken of steps) play(scene, taken);
              expect(await everything(analysis)).toEqual(await scratch(scene, serial));
            }
          } finally {
            analysis.close();
            scene.remove();
          }
        },
      ),
      { numRuns: RUNS, seed },
    );
  }, 7_200_000);
});

test('an answer after a write is that of the new text, for a hundred writes in a row', async () => {
  const scene = makeScene({ 'a.ts': 'export const first = 0;\n' });
  const analysis = openAnalysis(scene.root, scene.cache);
  try {
    await analysis.worktree.freshen();
    for (let serial = 0; serial < 100; serial += 1) {
      scene.write('a.ts', `export const name${serial} = 0;\n`);
      const { definitions } = (await analysis.ask('get_symbol_references', { name: `name${serial}` })) as {
        readonly definitions: readonly { readonly file: string }[];
      };
      expect(definitions.map(({ file }) => file)).toEqual(['a.ts']);
    }
  } finally {
    analysis.close();
    scene.remove();
  }
});

test('a new file in a new folder is found by the next query', async () => {
  const scene = makeScene({ 'a.ts': 'export const first = 0;\n' });
  const analysis = openAnalysis(scene.root, scene.cache);
  try {
    await analysis.worktree.freshen();
    for (let serial = 0; serial < 20; serial += 1) {
      scene.write(`new${serial}/deep/b.ts`, `export const made${serial} = 0;\n`);
      const { symbols } = (await analysis.ask('find_symbol', { query: `made${serial}`, max_results: 1 })) as {
        readonly symbols: readonly { readonly file: string }[];
      };
      expect(symbols.map(({ file }) => file)).toEqual([`new${serial}/deep/b.ts`]);
      scene.write(`new${serial}/deep/b.ts`, `export const changed${serial} = 0;\n`);
      const after = await analysis.ask('get_symbol_references', { name: `changed${serial}` });
      expect(after['total_definitions']).toBe(1);
    }
  } finally {
    analysis.close();
    scene.remove();
  }
});
