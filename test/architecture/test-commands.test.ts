import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { ESSENTIAL, LANDING } from '../essential.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

const projects = (config.test?.projects ?? []).map((project) => (project as { readonly test: Project }).test);

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Returns the Vitest projects that an npm script runs. */
const projectsOf = (script: string): readonly string[] =>
  Array.from((scripts[script] ?? '').matchAll(/--project (\S+)/g), ([, name = '']) => name);

const matches = (file: string, patterns: readonly string[] = []): boolean =>
  patterns.some((pattern) => matchesGlob(file, pattern));

const testFiles = globSync('test/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules'] }).filter((file) =>
  /\.test\.ts$/.test(file),
);

test('npm test and npm run test:long share no project and leave none out', () => {
  expect([...projectsOf('test'), ...projectsOf('test:long')].sort()).toEqual(projects.map(({ name }) => name).sort());
});

test('every test file is in exactly one project', () => {
  const homes = testFiles.map((file) => ({
    file,
    in: projects
      .filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude))
      .map(({ name }) => name),
  }));
  expect(homes.length).toBeGreaterThan(400);
  expect(homes.filter((home) => home.in.length !== 1)).toEqual([]);
});

test('every file that declares tests has a name that one of the commands looks for', () => {
  const OWN_COMMAND = /\.(e2e|llama|agents)\.ts$/;
  const declares = globSync('test/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules'] }).filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return text.includes("from 'vitest'") && /^(test|it|describe)(\.\w+)*\(/m.test(text);
  });
  expect(declares.filter((file) => !file.endsWith('.test.ts') && !OWN_COMMAND.test(file))).toEqual([]);
});

test.each([...ESSENTIAL, ...LANDING])('the lists of files name files that exist: %s', (pattern) => {
  expect(testFiles.filter((file) => matchesGlob(file, `test/${pattern}`))).not.toEqual([]);
});

/**
 * Tests of inputs that take quadratic time in a naive implementation: minutes or hours. Their limits are far below that,
 * and far above the time that the inputs take.
 */
const OF_LINEAR_TIME = [
  'test/fuzz/answers.fuzz.test.ts',
  'test/integration/engine/plan/large-plans.test.ts',
  'test/unit/compiler/hostile-size.test.ts',
  'test/unit/workers/agent/converse.test.ts',
  'test/unit/workers/ai/read-answer.test.ts',
];

/** Matches the time limit of a test: as an option, as its last argument, and as its last argument in a line of its own. */
const TIME_LIMIT = /\{ timeout: ([\d_]+) \},|^ *\}, ([\d_]+)\);$|^ *\},\n *(\d+(?:_\d{3})+),\n *\);$/gm;

test('no test has a shorter time limit than all tests, since a loaded machine takes ten times as long', () => {
  const shorter = testFiles.filter((file) =>
    Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(TIME_LIMIT), ([, ...found]) =>
      Number(found.join('').replaceAll('_', '')),
    ).some((limit) => limit > 0 && limit < (config.test?.testTimeout ?? 0)),
  );
  expect(shorter.map((file) => file.replaceAll('\\', '/')).sort()).toEqual(OF_LINEAR_TIME);
});
