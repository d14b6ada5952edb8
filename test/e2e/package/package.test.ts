import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import type { Response } from '#protocol/response.ts';
import { checkOutcome } from '../../conformance/workflows/check-outcome.ts';
import { loadCases } from '../../conformance/workflows/load-cases.ts';
import { outcomeOf } from '../../support/simulate.ts';
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
  project = await realpath(await mkdtemp(join(tmpdir(), 'robosmith-package-')));
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: project });
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** A package of one platform's native module: npm installs those of the machine. */
const OF_PLATFORM = /^node_modules\/@napi-rs\/keyring-/;

test('the installation has few packages and little on disk, and no script runs', async () => {
  const lock = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const names = Object.keys(lock.packages).filter((name) => !OF_PLATFORM.test(name));
  expect(names.sort()).toEqual(['@napi-rs/keyring', 'robo-smith', 'xstate'].map((name) => `node_modules/${name}`));
  expect(Object.values(lock.packages).filter(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  const files = readdirSync(join(project, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = files.reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  );
  expect(bytes).toBeLessThan(30e6);
});

test('the package has the licence of each package that its bundles contain', async () => {
  const notices = await readFile(join(project, 'node_modules/robo-smith/THIRD_PARTY_NOTICES.md'), 'utf8');
  const named = new Set(Array.from(notices.matchAll(/^## (.+)$/gm), ([, names = '']) => names.split(', ')).flat());
  const { svelte, '@vscode/codicons': codicons, 'tree-sitter-c-sharp': grammar } = manifest.devDependencies;
  const used = { ...manifest.dependencies, svelte, '@vscode/codicons': codicons, 'tree-sitter-c-sharp': grammar };
  const missing = Object.entries(used).filter(([name, version]) => !named.has(`${name} ${version}`));
  // npm installs it. XState is installed for the library, and is also in the command line.
  expect(missing.map(([name]) => name)).toEqual(['@napi-rs/keyring']);
});

/** Cases of the conformance kit that need one manifest, and whose outcome is in the Response. */
const CASES = loadCases()
  .filter(({ theme }) => theme !== 'matrix')
  .map((loaded) => loaded.case)
  .filter(
    ({ manifest: written, files, not_in_force, script, expect: { reason, memory } }) =>
      written !== undefined &&
      [files, not_in_force, memory].every((one) => one === undefined) &&
      !JSON.stringify([written, script]).match(/"artifact"|\{run\}/) &&
      !['invalid_graph', 'usage'].includes(reason ?? ''),
  );

test('the library follows the semantics of the conformance kit', async () => {
  await writeFile(join(project, 'cases.json'), JSON.stringify(CASES));
  await copyFile(join(import.meta.dirname, 'simulate-cases.mjs'), join(project, 'simulate-cases.mjs'));
  const { stdout } = await execa('node', ['simulate-cases.mjs', 'cases.json', 'robo-smith'], {
    cwd: project,
    maxBuffer: Infinity,
  });
  const responses = JSON.parse(stdout) as readonly Response[];
  expect(responses.length).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThan(150);
  for (const [index, response] of responses.entries()) {
    const { id, expect: expected } = CASES[index] ?? {};
    if (expected === undefined) throw new RangeError(`there is no case ${index}`);
    expect(() => checkOutcome(expected, outcomeOf(response), []), id).not.toThrow();
  }
});

const MODULE = `import { isMainThread } from 'node:worker_threads';
export const W = {
  sideEffects: 'none',
  execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', exports: { thread: isMainThread ? 'main' : 'own' } }),
};
`;

test('the command and the library run modules in threads, and ask the code analysis', async () => {
  const root = join(project, 'work');
  const run = { entry_block: 'Do', blocks: { Do: { worker: 'mine' } } };
  await mkdir(join(root, '.vision'), { recursive: true });
  await mkdir(join(root, '.flow'));
  await mkdir(join(root, 'src'));
  await writeFile(join(root, '.vision/workflows.json'), JSON.stringify({ version: 1, nodes: { Module: run } }));
  await writeFile(join(root, '.flow/flow.registry.json'), JSON.stringify({ mine: './w.mjs#W' }));
  await writeFile(join(root, 'w.mjs'), MODULE);
  await writeFile(join(root, 'src/tool.cs'), 'class Tool { int Count() { return 1; } }\n');
  const git = (...args: readonly string[]) => execa('git', args, { cwd: root });
  await git('init', '-q');
  await git('add', '-A', '-f');
  await git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
  const env = { XDG_CACHE_HOME: join(project, 'cache'), XDG_CONFIG_HOME: join(project, 'config') };

  const robosmith = join(project, 'node_modules/.bin/robosmith');
  const command = await execa(robosmith, ['run', 'Module', '--in', '.', '--trust', '--json'], { cwd: root, env });
  expect(JSON.parse(command.stdout)).toMatchObject({ success: true, data: { exports: { thread: 'own' } } });
  await execa(robosmith, ['host', 'stop', '--force'], { cwd: root, env, reject: false });

  await copyFile(join(import.meta.dirname, 'program.mjs'), join(project, 'program.mjs'));
  const { stdout } = await execa('node', ['program.mjs', root, 'robo-smith'], { cwd: project, env });
  expect(JSON.parse(stdout)).toEqual({
    read: true,
    slices: [expect.stringMatching(/class Tool\b[\s\S]*method[\s\S]*Count/)],
    module: { success: true, reason: null, exports: { thread: 'own' } },
  });
});

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
    expect(text).toContain('npx robo-smith init');
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

test.each(['nodenext', 'bundler'])(
  'the library has complete types under moduleResolution %s',
  async (moduleResolution) => {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
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
  },
);

test('the package says what it is, licence included', async () => {
  verifies('overview.licence');
  const pkgDir = join(project, 'node_modules/robo-smith');
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  expect(pkg).toMatchObject({ name: 'robo-smith', license: 'MIT', engines: { node: '>=22.16' } });
});
