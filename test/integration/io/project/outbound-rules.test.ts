import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOutbound } from '#io/project/outbound-rules.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { mayBeSent } from '#engine/authoring.ts';
import { verifies } from '../../../e2e/verifies.ts';

let base: string;
let root: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'robosmith-outbound-')));
  root = path.join(base, 'project');
  await mkdir(path.join(root, '.vision'), { recursive: true });
});
afterEach(() => rm(base, { recursive: true }));

const put = async (name: string, text = 'x'): Promise<void> => {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true });
  await writeFile(path.join(root, name), text);
};

const keptBack = async (names: readonly string[], directory = root): Promise<readonly string[]> => {
  const { mayLeave } = createOutbound(root, directory, { ROBOSMITH_CONFIG_DIR: path.join(base, 'config') });
  const answers = await Promise.all(names.map(mayLeave));
  return names.filter((_, index) => answers[index] === false);
};

test('secrets are kept back without any rule, in every folder and however they are written', async () => {
  verifies('workers.pool.what-leaves');
  const secrets = [
    '.env',
    '.env.local',
    'a/b/.ENV',
    'server.PEM',
    'deep/er/tls.key',
    'id_ed25519',
    '.ssh/config',
    'Cert.crt',
  ];
  expect(await keptBack([...secrets, 'src/a.ts', 'environment.ts', 'keys.md', 'id_rsa.pub'])).toEqual(secrets);
});

describe.each<[string, string, readonly string[], readonly string[]]>([
  [
    'a folder, whatever is taken back in it',
    'secrets/\n!secrets/a.md',
    ['secrets/a.md', 'x/secrets/b'],
    ['secret/a.md'],
  ],
  [
    'files of a folder, but one',
    '/docs/*\n!/docs/open.md',
    ['docs/a.md', 'docs/deep/b.md'],
    ['docs/open.md', 'x/docs/a.md'],
  ],
  [
    'no exception of what is kept back everywhere',
    '!.env\n!.env.example\n!.npmrc\n!*.pem\n!.git/\n!.git/config\n!*',
    ['.env', '.env.example', '.npmrc', 'a/tls.pem', 'prod.env', '.git/config', '.GIT/config', 'sub/.git'],
    ['a.md'],
  ],
  [
    'comments, blanks and escapes',
    '# secret.md\n\n\\#odd\n*.sq?\nname[0-9]',
    ['#odd', 'a.sql', 'name1'],
    ['secret.md', 'namex'],
  ],
  ['the last rule that fits', '*.md\n!a.md\na.md', ['a.md', 'b.md'], ['a.txt']],
  ['names by another case and composition', 'Caf\u00e9/\nLOCAL.txt', ['cafe\u0301/x', 'local.TXT'], ['cafe/x']],
  [
    'line ends of Windows, and a mark at the beginning',
    '\uFEFFone.txt\r\ntwo.txt\r\n',
    ['one.txt', 'two.txt'],
    ['three.txt'],
  ],
  ['a pattern that no expression can be made of', '[z-a]\nfine.txt', ['fine.txt'], ['z', 'a']],
])('%s', (_, rules, ignored, allowed) => {
  test('as git would have it', async () => {
    verifies('workers.pool.what-leaves');
    await put('.vision/ignore', rules);
    expect(await keptBack([...ignored, ...allowed])).toEqual(ignored);
  });
});

test.skipIf(process.platform === 'win32')('links are judged by their name and by where they lead', async () => {
  verifies('workers.pool.what-leaves');
  await put('.vision/ignore', 'private/');
  for (const name of ['.env', 'private/a.md', 'open.md']) await put(name);
  await symlink('.env', path.join(root, 'settings.txt'));
  await symlink('private', path.join(root, 'public'));
  await symlink('settings.txt', path.join(root, 'twice.txt'));
  await symlink('open.md', path.join(root, 'harmless.key'));
  await symlink('open.md', path.join(root, 'fine.md'));
  expect(await keptBack(['settings.txt', 'public/a.md', 'twice.txt', 'harmless.key', 'fine.md'])).toEqual([
    'settings.txt',
    'public/a.md',
    'twice.txt',
    'harmless.key',
  ]);
});

test('a folder of the project is judged by its place in it, a worktree by the rules of both', async () => {
  verifies('workers.pool.what-leaves');
  await put('.vision/ignore', '/packages/a/own.txt\n/top.txt\n!.env.example');
  await put('packages/a/x.txt');
  expect(await keptBack(['own.txt', 'x.txt', 'top.txt'], path.join(root, 'packages', 'a'))).toEqual(['own.txt']);
  const worktree = path.join(base, 'project.worktrees', 'one');
  await mkdir(path.join(worktree, '.vision'), { recursive: true });
  expect(await keptBack(['top.txt', '.env.example', '.env'], worktree)).toEqual(['top.txt', '.env.example', '.env']);
  // Rules in a worktree can't release what the project withholds.
  await writeFile(path.join(worktree, '.vision', 'ignore'), '!top.txt\n!.env\n!.env.example\nmore.txt');
  expect(await keptBack(['top.txt', '.env', 'more.txt', 'x.txt'], worktree)).toEqual(['top.txt', '.env', 'more.txt']);
});

test('only the configuration of the user lifts a secret, and .git never', async () => {
  verifies('workers.pool.what-leaves');
  const own = path.join(base, 'config');
  await mkdir(own);
  await writeFile(path.join(own, 'ignore'), '!.env.example\n!.git/\n!.git/config\n/mine.txt\n');
  expect(await keptBack(['.env.example', '.env', '.git/config', 'mine.txt', 'a.md'])).toEqual([
    '.env',
    '.git/config',
    'mine.txt',
  ]);
  // The project can withhold what the user's configuration releases.
  await put('.vision/ignore', '.env.example');
  expect(await keptBack(['.env.example'])).toEqual(['.env.example']);
});

test('rules that are changed hold at once', async () => {
  const { mayLeave } = createOutbound(root, root);
  expect(await mayLeave('a.md')).toBe(true);
  await put('.vision/ignore', 'a.md');
  expect(await mayLeave('a.md')).toBe(false);
  await put('.vision/ignore', 'b.md');
  await utimes(path.join(root, '.vision', 'ignore'), 1, 1);
  expect([await mayLeave('a.md'), await mayLeave('b.md')]).toEqual([true, false]);
});

test('rules that can not be read let nothing out', async () => {
  await mkdir(path.join(root, '.vision', 'ignore'));
  const thrown: unknown = await createOutbound(root, root)
    .mayLeave('a.md')
    .catch((error: unknown) => error);
  expect(RoboSmithError.is(thrown, 'io') && thrown.message).toContain('.vision/ignore');
});

test.skipIf(process.platform === 'win32')('what a person names is judged wherever it is', async () => {
  await put('.vision/ignore', 'private/');
  await put('private/a.md');
  await put('open.md');
  await put('a:b/.env');
  await writeFile(path.join(base, '.env'), 'x');
  await writeFile(path.join(base, 'task.md'), 'x');
  await symlink(path.join(base, '.env'), path.join(root, 'notes.md'));
  const asked = async (file: string): Promise<boolean> => mayBeSent(root, path.join(base, file));
  const files = ['project/open.md', 'task.md', 'project/missing.md'];
  const refused = ['.env', 'project/notes.md', 'project/private/a.md', 'project/a:b/.env', 'project/.env'];
  expect(await Promise.all([...files, ...refused].map(asked))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
