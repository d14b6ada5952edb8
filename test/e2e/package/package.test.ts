import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { verifies } from '../verifies.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const CONSUMER = `
import { compile, Orchestrator, type Response } from 'robo-smith';
const { diagnostics } = compile([{ path: 'workflows.json', text: '{}' }]);
export const codes: readonly string[] = diagnostics.map(({ code }) => code);
export const succeeded = (response: Response): boolean => response.success;
console.log(codes.length > 0, typeof Orchestrator);
`;

interface PackedManifest {
  readonly engines: { readonly node: string };
}

let project: string;

beforeAll(async () => {
  const { stdout } = await execa('npm', ['run', '--silent', 'pack'], { cwd: REPOSITORY });
  const tarball = join(REPOSITORY, stdout.trim());
  project = await mkdtemp(join(tmpdir(), 'robosmith-package-'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: project });
});
afterAll(() => rm(project, { recursive: true, force: true }));

test('npx robosmith runs from the installed package', async () => {
  verifies('overview.names.package', 'cli.version');
  const { stdout } = await execa('npx', ['--no-install', 'robosmith', '--version'], { cwd: project });
  expect(stdout).toBe(manifest.version);
});

test('npx robosmith runs in the repository as well', async () => {
  const { stdout } = await execa('npx', ['--no-install', 'robosmith', '--version'], { cwd: REPOSITORY });
  expect(stdout).toBe(manifest.version);
});

test('the library can be imported', async () => {
  verifies('engine.library.exports');
  await writeFile(join(project, 'consumer.mjs'), stripTypeScriptTypes(CONSUMER));
  const { stdout } = await execa('node', ['consumer.mjs'], { cwd: project });
  expect(stdout).toBe('true function');
});

test('README and demonstration name the package and the Node that it needs', async () => {
  const { engines } = JSON.parse(
    await readFile(join(project, 'node_modules/robo-smith/package.json'), 'utf8'),
  ) as PackedManifest;
  const readme = await readFile(join(project, 'node_modules/robo-smith/README.md'), 'utf8');
  expect(readme).toContain(`needs Node ${engines.node.replace('>=', '')} or later`);
  const demo = await readFile(join(REPOSITORY, 'demo/run.ts'), 'utf8');
  for (const text of [readme, demo]) {
    expect(text).toContain('npx -p robo-smith robosmith init');
    expect(text).not.toContain('npx robosmith init');
  }
});

test('robosmith docs prints the documents of the installed package', async () => {
  const { stdout } = await execa('npx', ['--no-install', 'robosmith', 'docs', 'worktrees'], {
    cwd: project,
    env: { NO_COLOR: '1' },
  });
  expect(stdout).toMatch(/^PREPARING WORKTREES\n/);
  const listed = await execa('npx', ['--no-install', 'robosmith', 'docs'], { cwd: project });
  expect(listed.stdout).toContain('From plan to merge');
});

test('the documents of the package link to nothing that it lacks', () => {
  const folder = join(project, 'node_modules/robo-smith');
  // The pages excluded here are for contributors: they refer to the sources and tests of the repository.
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: folder }).filter(
    (page) => !/decisions|CONTRIBUTING/.test(page),
  );
  const links = pages.flatMap((page) =>
    Array.from(readFileSync(join(folder, page), 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g), ([, href = '']) => ({
      page,
      href,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ page, href }) => !existsSync(join(folder, page, '..', href)))).toEqual([]);
  expect(existsSync(join(folder, 'docs/.vitepress'))).toBe(false);
});

/** The TypeScript examples in the documents that import the package, named by document and number. */
const EXAMPLES = globSync(['README.md', 'docs/**/*.md'], { cwd: REPOSITORY }).flatMap((page) => {
  const fences = readFileSync(join(REPOSITORY, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm);
  const codes = Array.from(fences, ([, code = '']) => code).filter((code) => code.includes("from 'robo-smith'"));
  return codes.map((code, index) => ({ name: `${page.replaceAll(/\W+/g, '-')}-${index + 1}`, code }));
});

test.each(EXAMPLES)('the example $name compiles strictly and runs', async ({ name, code }) => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'ES2023',
    module: 'nodenext',
    lib: ['ES2023'],
    types: ['node'],
    typeRoots: [join(REPOSITORY, 'node_modules/@types')],
  };
  await writeFile(join(project, `${name}.ts`), code);
  await writeFile(join(project, `${name}.mjs`), stripTypeScriptTypes(code));
  await writeFile(join(project, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const checked = await execa('node', [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`], {
    cwd: project,
    reject: false,
  });
  expect(checked.stdout).toBe('');
  const { stdout } = await execa('node', [`${name}.mjs`], { cwd: project });
  expect(stdout).toMatch(/true$/);
});

test('the exported TypeScript module compiles strictly and links', async () => {
  const workflow = {
    version: 1,
    entry: 'A',
    nodes: { A: { entry_block: 'a', blocks: { a: { worker: 'Internal:ManualIntervention' } } } },
  };
  await writeFile(join(project, 'flow.json'), JSON.stringify(workflow));
  const exported = await execa(
    'npx',
    ['--no-install', 'robosmith', 'export', '--format', 'ts', '--manifest', 'flow.json'],
    {
      cwd: project,
    },
  );
  await writeFile(join(project, 'flow.ts'), exported.stdout);
  const use = `import { link } from 'robo-smith';
import { configs } from './flow.js';
const linked = link(configs, { workers: {} });
console.log(linked.input({ node: 'A' }).path.length === 0);
`;
  await writeFile(join(project, 'use.ts'), use);
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    target: 'ES2023',
    module: 'nodenext',
    lib: ['ES2023', 'DOM'],
    types: [],
  };
  await writeFile(join(project, 'use.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const { stdout } = await execa('node', [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), '-p', 'use.json'], {
    cwd: project,
  });
  expect(stdout).toBe('');
  const { stdout: printed } = await execa('node', ['use.js'], { cwd: project });
  expect(printed).toBe('true');
});

test.each([
  ['new Orchestrator(undefined)', 'manifest must be a parsed manifest; nothing was given.'],
  [
    'new Orchestrator({}, { workers: { W: null } })',
    'The worker "W" must be an object with a function "execute"; null was given.',
  ],
  [
    'new Orchestrator({}, { workers: { W: () => {} } })',
    'The worker "W" must be an object with a function "execute"; a function was given.',
  ],
  ["compile('text')", 'compile takes a list of sources, [{ path, text }], with the manifest first.'],
  ['compile([])', 'compile takes a list of sources, [{ path, text }], with the manifest first.'],
  ["openEngine('/no/such/folder')", 'There is no folder /no/such/folder. Create it, or open the engine in a project.'],
  ['openEngine(5)', 'root must be a string; a number was given.'],
])('%s throws a usage error that names the argument', async (call, message) => {
  const code = `import { compile, openEngine, Orchestrator } from 'robo-smith';
try { ${call}; console.log('nothing thrown'); } catch (error) { console.log(error.name + ': ' + error.message); }`;
  await writeFile(join(project, 'slip.mjs'), code);
  const { stdout } = await execa('node', ['slip.mjs'], { cwd: project });
  expect(stdout).toBe(`RoboSmithError: ${message}`);
});

test.each(['nodenext', 'bundler'])('the library has types under moduleResolution %s', async (moduleResolution) => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2023',
    module: moduleResolution === 'bundler' ? 'preserve' : 'nodenext',
    moduleResolution,
    lib: ['ES2023', 'DOM'],
    types: [],
  };
  await writeFile(join(project, 'consumer.ts'), CONSUMER);
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const { stdout } = await execa('node', [join(REPOSITORY, 'node_modules/typescript/bin/tsc')], {
    cwd: project,
    reject: false,
  });
  expect(stdout).toBe('');
});

test('the package says what it is, licence included', async () => {
  verifies('overview.licence');
  const pkgDir = join(project, 'node_modules/robo-smith');
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  expect(pkg).toMatchObject({ name: 'robo-smith', license: 'MIT', engines: { node: '>=22.16' } });
});
