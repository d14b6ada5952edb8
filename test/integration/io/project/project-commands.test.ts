import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectCommands } from '#io/project/project-commands.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'robosmith-project-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const scripts = (written: object): string => JSON.stringify({ name: 'x', scripts: written });

test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  [
    'package.json',
    { 'package.json': scripts({ test: 'vitest run', lint: 'eslint .', build: 'tsc', other: 'x' }) },
    { test: 'npm test', lint: 'npm run lint', build: 'npm run build' },
  ],
  ['package.json with a byte order mark', { 'package.json': `\uFEFF${scripts({ test: 'x' })}` }, { test: 'npm test' }],
  ["npm's placeholder", { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) }, {}],
  ['Cargo.toml', { 'Cargo.toml': '[package]' }, { test: 'cargo test', lint: 'cargo clippy', build: 'cargo build' }],
  ['go.mod', { 'go.mod': 'module x' }, { test: 'go test ./...', lint: 'go vet ./...', build: 'go build ./...' }],
  ['pyproject.toml', { 'pyproject.toml': '[project]' }, { test: 'python -m pytest' }],
  ['pyproject.toml with ruff', { 'pyproject.toml': '[tool.ruff]' }, { test: 'python -m pytest', lint: 'ruff check .' }],
  [
    'Makefile',
    { Makefile: 'test:\n\ttrue\nbuild: test\n\ttrue\nlinting:\n' },
    { test: 'make test', build: 'make build' },
  ],
  [
    'the first one that says so',
    { 'package.json': scripts({ test: 'vitest run' }), Makefile: 'test:\nbuild:\n' },
    { test: 'npm test', build: 'make build' },
  ],
  [
    'package.json with the lock of pnpm',
    { 'package.json': scripts({ test: 'x', build: 'y' }), 'pnpm-lock.yaml': '' },
    { test: 'pnpm test', build: 'pnpm run build' },
  ],
  [
    'package.json with the lock of yarn',
    { 'package.json': scripts({ test: 'x', compile: 'y' }), 'yarn.lock': '' },
    { test: 'yarn test', build: 'yarn run compile' },
  ],
  [
    'package.json with the lock of bun, whose own test is another thing',
    { 'package.json': scripts({ test: 'x', lint: 'y' }), 'bun.lock': '' },
    { test: 'bun run test', lint: 'bun run lint' },
  ],
  [
    'the packageManager before any lock',
    { 'package.json': JSON.stringify({ packageManager: 'pnpm@10.1.0', scripts: { test: 'x' } }), 'yarn.lock': '' },
    { test: 'pnpm test' },
  ],
  [
    'what is installed and configured, where no script says it',
    {
      'package.json': JSON.stringify({ devDependencies: { eslint: '9', typescript: '5' } }),
      'eslint.config.mjs': '',
      'tsconfig.json': '{}',
    },
    { lint: 'npx --no-install eslint . -f json', build: 'npx --no-install tsc --noEmit' },
  ],
  ['pytest.ini', { 'pytest.ini': '[pytest]' }, { test: 'python -m pytest' }],
  ['requirements that name pytest', { 'requirements.txt': 'pytest==9\n' }, { test: 'python -m pytest' }],
  [
    'requirements and a virtual environment',
    { 'requirements.txt': 'pytest==9\n', '.venv': '' },
    { test: process.platform === 'win32' ? '.venv/Scripts/python -m pytest' : '.venv/bin/python -m pytest' },
  ],
  ['requirements that do not', { 'requirements.txt': 'flask\n' }, {}],
  [
    'the lock of uv',
    { 'pyproject.toml': '[tool.ruff]', 'uv.lock': '' },
    { test: 'uv run pytest', lint: 'uv run ruff check .' },
  ],
  ['the lock of poetry', { 'pyproject.toml': '[project]', 'poetry.lock': '' }, { test: 'poetry run pytest' }],
  ['pom.xml', { 'pom.xml': '<project/>' }, { test: 'mvn -B test', build: 'mvn -B package -DskipTests' }],
  [
    'build.gradle with its wrapper',
    { 'build.gradle': '', gradlew: '' },
    { test: './gradlew test', build: './gradlew assemble' },
  ],
  ['deno.json', { 'deno.json': '{}' }, { test: 'deno test', lint: 'deno lint' }],
  ['a Makefile with check', { Makefile: 'check: x\nlint := no\n' }, { test: 'make check' }],
  ['a broken file: nothing', { 'package.json': '{', Makefile: 'lint :\n' }, { lint: 'make lint' }],
  ['no file at all', {}, {}],
])('commands by %s', async (_name, files, expected) => {
  verifies('manifest.commands.detected');
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const found = Object.entries(await detectCommands(folder)).map(([name, argv]) => [name, argv.join(' ')]);
  expect(Object.fromEntries(found)).toEqual(expected);
});
