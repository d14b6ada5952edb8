import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectCommands } from '#io/project.ts';
import { verifies } from '../../e2e/verifies.ts';

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
  ['a broken file: nothing', { 'package.json': '{', Makefile: 'lint :\n' }, { lint: 'make lint' }],
  ['no file at all', {}, {}],
])('commands by %s', async (_name, files, expected) => {
  verifies('manifest.commands.detected');
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const found = Object.entries(await detectCommands(folder)).map(([name, argv]) => [name, argv.join(' ')]);
  expect(Object.fromEntries(found)).toEqual(expected);
});
