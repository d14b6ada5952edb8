import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dependencyNeeds, worktreeSection } from '#io/project/dependency-settings.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'robosmith-needs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function section(names: readonly string[], clones: boolean): Promise<unknown> {
  for (const name of names) {
    if (name.endsWith('/')) await mkdir(path.join(folder, name));
    else await writeFile(path.join(folder, name), name === '.gitignore' ? 'node_modules\nvendor\n' : '');
  }
  return worktreeSection(await dependencyNeeds(folder, clones));
}

const INSTALL_PIP = [
  ['python3', '-m', 'venv', '.venv'],
  ['.venv/bin/pip', 'install', '-r', 'requirements.txt'],
];

test.each<[string, readonly string[], unknown]>([
  ['npm', ['package-lock.json'], { setup: [['npm', 'ci']] }],
  ['npm, installed', ['package-lock.json', 'node_modules/', '.gitignore'], { link: ['node_modules'] }],
  ['npm, installed, and no rule matches a link', ['package-lock.json', 'node_modules/'], { setup: [['npm', 'ci']] }],
  ['npm without a lock file', ['package.json', 'node_modules/', '.gitignore'], { link: ['node_modules'] }],
  [
    'npm without a lock file, and no rule matches a link',
    ['package.json', 'node_modules/'],
    { setup: [['npm', 'install', '--no-package-lock']] },
  ],
  ['pnpm', ['pnpm-lock.yaml', 'node_modules/'], { setup: [['pnpm', 'install', '--frozen-lockfile']] }],
  ['yarn', ['yarn.lock'], { setup: [['yarn', 'install', '--frozen-lockfile']] }],
  ['yarn 2 and later', ['yarn.lock', '.yarnrc.yml'], { setup: [['yarn', 'install', '--immutable']] }],
  ['bun', ['bun.lockb'], { setup: [['bun', 'install', '--frozen-lockfile']] }],
  ['uv', ['uv.lock', 'requirements.txt'], { setup: [['uv', 'sync', '--frozen']] }],
  ['poetry', ['poetry.lock'], { setup: [['poetry', 'install']] }],
  ['pip', ['requirements.txt'], { setup: INSTALL_PIP }],
  ['cargo', ['Cargo.lock'], null],
  ['go', ['go.mod'], null],
  ['gradle', ['build.gradle.kts'], null],
  ['maven', ['pom.xml'], null],
  ['composer', ['composer.lock', 'vendor/', '.gitignore'], { link: ['vendor'] }],
  ['bundler', ['Gemfile.lock'], { setup: [['bundle', 'install']] }],
  [
    'two at once',
    ['package-lock.json', 'Gemfile.lock'],
    {
      setup: [
        ['npm', 'ci'],
        ['bundle', 'install'],
      ],
    },
  ],
  ['none', ['README.md'], null],
])('%s', async (_name, files, expected) => {
  expect(await section(files, false)).toEqual(expected);
});

test('where files can be cloned, installed dependencies are shared', async () => {
  expect(await section(['package-lock.json', 'node_modules/', 'composer.lock', 'vendor/'], true)).toEqual({
    share: ['node_modules', 'vendor'],
  });
});

test('each manager is named with its file', async () => {
  await section(['package-lock.json', 'Cargo.lock'], false);
  expect((await dependencyNeeds(folder, false)).map(({ manager, file }) => [manager, file])).toEqual([
    ['npm', 'package-lock.json'],
    ['cargo', 'Cargo.lock'],
  ]);
});
