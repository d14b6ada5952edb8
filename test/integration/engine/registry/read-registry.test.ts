import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRegistry } from '#engine/authoring.ts';
import type { RegistryCode } from '#protocol/registry.ts';
import { projectFolder, type ProjectFolder } from './project-folder.ts';

let at: ProjectFolder;
beforeEach(async () => {
  at = await projectFolder();
});
afterEach(() => at.remove());

const BUILT_IN =
  'builtin:TestRunner, builtin:RunLinter, builtin:RunBuilder, builtin:Command, builtin:FileSystemWriter, builtin:DocumentationWriter, builtin:UpdateChangePlan, builtin:ContextQuery, builtin:GitCommit, builtin:Diff, builtin:PullRequest, builtin:Loom, builtin:Verdict, builtin:ManualIntervention';
const SHAPES = 'write "builtin:<Name>" for a built-in worker, or "./path/to/module.mjs#Export" for one of the project';

test('without a file there are no lines; {} has none either', async () => {
  expect(await readRegistry(at.root)).toEqual({ ok: true, written: false, lines: [], files: [] });
  await at.registry('{}');
  expect(await readRegistry(at.root)).toEqual({ ok: true, written: true, lines: [], files: [] });
});

test('built-in workers and modules, with comments and where each of them stands', async () => {
  const text = `{
  "$schema": "registry.json", "$files": ["plugins/*.mjs"], // for editors
  "Internal:TestRunner": "builtin:TestRunner",
  "tests": "builtin:TestRunner",
  "git": "./workers/a#b.mjs#GitWorker", "own": "./own.js#default",
}`;
  await at.registry(text);
  const builtin = { kind: 'builtin', worker: 'Internal:TestRunner' };
  expect(await readRegistry(at.root)).toEqual({
    ok: true,
    written: true,
    lines: [
      {
        name: 'Internal:TestRunner',
        target: 'builtin:TestRunner',
        line: 3,
        column: 26,
        implementation: builtin,
        module: null,
      },
      { name: 'tests', target: 'builtin:TestRunner', line: 4, column: 12, implementation: builtin, module: null },
      {
        name: 'git',
        target: './workers/a#b.mjs#GitWorker',
        line: 5,
        column: 10,
        implementation: { kind: 'module', path: 'workers/a#b.mjs', export: 'GitWorker' },
        module: path.join(at.root, 'workers/a#b.mjs'),
      },
      {
        name: 'own',
        target: './own.js#default',
        line: 5,
        column: 48,
        implementation: { kind: 'module', path: 'own.js', export: 'default' },
        module: path.join(at.root, 'own.js'),
      },
    ],
    files: ['plugins/*.mjs'],
  });
});

test.each(['"a"', '[1]', '["../a.mjs"]', '["/a/*"]'])(
  '%s is not a list of files that modules may load',
  async (files) => {
    await at.registry(`{"$files": ${files}}`);
    expect(await readRegistry(at.root)).toMatchObject({ ok: false, problem: { code: 'registry_bad_value', line: 1 } });
  },
);

test.each<[string, RegistryCode, number, number, string]>([
  ['["git"]', 'registry_not_an_object', 1, 1, 'The file must be an object, but it is a list. Write an object.'],
  ['"git"', 'registry_not_an_object', 1, 1, 'The file must be an object, but it is a string. Write an object.'],
  ['null', 'registry_not_an_object', 1, 1, 'The file must be an object, but it is null. Write an object.'],
  [
    '{\n  "a": "builtin:Command",\n  "a": "./a.mjs#A"\n}',
    'registry_duplicate_key',
    3,
    3,
    'The key "a" is written twice in one object. Remove or rename one of the two.',
  ],
  [
    '{ "a": ',
    'registry_bad_syntax',
    1,
    8,
    'The text is not valid JSON here: a value is expected. Correct the text; comments and trailing commas are allowed.',
  ],
  [
    '',
    'registry_bad_syntax',
    1,
    1,
    'The text is not valid JSON here: a value is expected. Correct the text; comments and trailing commas are allowed.',
  ],
  ['{\n "a": "\0" }', 'registry_bad_syntax', 2, 8, 'The file contains a NUL character. Save it as UTF-8 text.'],
  ['{ "__proto__": "./a.mjs#A" }', 'registry_bad_name', 1, 3, 'The key "__proto__" is not allowed. Rename it.'],
  ['{ "a": 1 }', 'registry_bad_value', 1, 8, `"a" has no text as its value: ${SHAPES}.`],
  ['{ "a": ["./a.mjs#A"] }', 'registry_bad_value', 1, 8, `"a" has no text as its value: ${SHAPES}.`],
  ...[
    '',
    'a',
    'a.mjs#A',
    './a.mjs',
    './a.mjs#',
    './#A',
    './a.mjs#1',
    './a.mjs#A.b',
    '/a.mjs#A',
    'node:fs#read',
    'TestRunner',
  ].map((target): [string, RegistryCode, number, number, string] => [
    `{ "a": "${target}" }`,
    'registry_bad_value',
    1,
    8,
    `"${target}" names no worker for "a": ${SHAPES}.`,
  ]),
  ...['Nobody', 'testrunner', '', 'Internal:TestRunner', 'toString'].map(
    (name): [string, RegistryCode, number, number, string] => [
      `{ "a": "builtin:${name}" }`,
      'registry_unknown_builtin',
      1,
      8,
      `"a" refers to "builtin:${name}", which is not a built-in worker: use one of ${BUILT_IN}.`,
    ],
  ),
  [
    '{\n  "ok": "builtin:Command",\n  "a": "./../out.mjs#A"\n}',
    'registry_unsafe_path',
    3,
    8,
    'The module of "a", "../out.mjs" is refused: it leads out of its root folder. Name a file below the project\'s root.',
  ],
  [
    '{ "a": "./C:/x.mjs#A" }',
    'registry_unsafe_path',
    1,
    8,
    'The module of "a", "C:/x.mjs" is refused: a colon names a drive or an alternate stream on Windows. Name a file below the project\'s root.',
  ],
  [
    '{ "": "./a.mjs#A" }',
    'registry_bad_name',
    1,
    3,
    '"" is not a valid worker of the registry: a name has 1 to 200 characters: correct it.',
  ],
  [
    '{ "a\\u202eb": "./a.mjs#A" }',
    'registry_bad_name',
    1,
    3,
    '"a\u202eb" is not a valid worker of the registry: it has control or invisible characters: remove them.',
  ],
  [
    '{ "Worker:A": "./a.mjs#A" }',
    'registry_bad_name',
    1,
    3,
    '"Worker:A" is not a valid worker of the registry: such names are declared in the manifest: list it without "Worker:", and declare it there with "kind": "module".',
  ],
  [
    '{ "Internal:ManualIntervention": "./a.mjs#A" }',
    'registry_bad_name',
    1,
    3,
    '"Internal:ManualIntervention" is not a valid worker of the registry: this name is reserved for answers by a person: give your worker another name.',
  ],
])('%j is an error that says where', async (text, code, line, column, message) => {
  await at.registry(text);
  const problem = { code, message, file: '.flow/flow.registry.json', line, column, next: ['robosmith registry check'] };
  expect(await readRegistry(at.root)).toEqual({ ok: false, problem });
});

const unreadable = (why: string) => ({
  ok: false,
  problem: {
    code: 'registry_unreadable',
    message: `.flow/flow.registry.json cannot be read: ${why}. Make it a readable file, or remove it.`,
    file: '.flow/flow.registry.json',
    line: 1,
    column: 1,
    next: ['robosmith registry check'],
  },
});

test('a folder in its place, and a file without bounds, are errors', async () => {
  await mkdir(path.join(at.root, '.flow/flow.registry.json'));
  expect(await readRegistry(at.root)).toEqual(unreadable('it is a folder'));
  await rm(path.join(at.root, '.flow/flow.registry.json'), { recursive: true });
  await at.registry(' '.repeat(1_048_577));
  expect(await readRegistry(at.root)).toEqual(unreadable('it has 1048577 bytes, more than the limit of 1048576'));
});

test.skipIf(process.platform === 'win32')(
  'a pipe in its place is not waited for, and a circle of links is told',
  async () => {
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path.join(at.root, '.flow/flow.registry.json')]);
    expect(await readRegistry(at.root)).toEqual(unreadable('it is not a regular file'));
    await rm(path.join(at.root, '.flow/flow.registry.json'));
    await symlink('flow.registry.json', path.join(at.root, '.flow/flow.registry.json'));
    expect(await readRegistry(at.root)).toEqual(unreadable('its symbolic links form a loop (ELOOP)'));
  },
);

test.skipIf(process.platform === 'win32')('a module behind a link that leaves the root is refused', async () => {
  const outside = await mkdtemp(path.join(tmpdir(), 'robosmith-outside-'));
  await symlink(outside, path.join(at.root, 'workers'));
  await at.registry({ a: './workers/a.mjs#A' });
  expect(await readRegistry(at.root)).toMatchObject({
    ok: false,
    problem: { code: 'registry_unsafe_path', line: 2, column: 8 },
  });
  await rm(outside, { recursive: true });
});
