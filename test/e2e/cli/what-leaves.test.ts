import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

/** A text in every file whose content must not leave the project. */
const HIDDEN = 'what-nobody-may-read';
const SHOWN = 'what-everybody-may-read';

let server: FaultServer;
let here: Project;
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  await here.remove();
  await server.close();
});

const manifest = (artifact: readonly string[], first: object = {}) => ({
  version: 1,
  entry: 'Main',
  workers: {
    'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url('none') },
  },
  nodes: {
    Main: {
      entry_block: 'First',
      blocks: {
        First: {
          worker: 'Internal:Loom',
          params: { operations: [{ op: 'append', path: 'made.md', content: 'made' }] },
          transitions: [to('FAIL_DEFAULT', 'JUMP:Ask'), to('SUCCESS', 'JUMP:Ask')],
          ...first,
        },
        Ask: {
          worker: 'Worker:Model',
          contract: 'Say hello.',
          artifact,
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
});

const FILES = {
  '.flow/.keep': '',
  '.vision/ignore': 'private/\n!private/open.md\n*.secret',
  '.env': HIDDEN,
  'src/a.ts': SHOWN,
  'src/.env.local': HIDDEN,
  'src/tls.PEM': HIDDEN,
  'src/deep/Notes.SECRET': HIDDEN,
  'private/open.md': HIDDEN,
};

const set = async (artifact: readonly string[], first?: object): Promise<void> => {
  here = await project({ ...FILES, '.vision/workflows.json': manifest(artifact, first) });
  symlinkSync('../.env', here.file('src/settings.txt'));
  symlinkSync('../private', here.file('src/public'));
};

const robosmith = (...args: readonly string[]): Promise<Ended> =>
  ended(
    start(args, here.folder, { ROBOSMITH_KEY_LOCAL: 'sk-test-0123456789', ROBOSMITH_URL_LOCAL: server.url('none') }),
  );

const RUN = ['run', 'Main', '--in', '.', '--trust', '--jsonl'] as const;

function* textsBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) yield* textsBelow(file);
    else yield readFileSync(file, 'utf8');
  }
}

/** Returns everything that a run sent, logged, stored and printed. */
const everything = ({ out, err }: Ended): readonly string[] => [
  ...server.seen.map(({ body }) => body),
  ...textsBelow(here.file('.flow')),
  ...textsBelow(here.file('.vision')),
  out,
  err,
];

test.skipIf(process.platform === 'win32')(
  'what a pattern finds goes into the prompt, but for what must stay',
  async () => {
    verifies('workers.pool.what-leaves');
    await set(['src/**/*', 'private/*', '.env*', '*']);
    const run = await robosmith(...RUN);
    expect(run.code).toBe(0);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.body).toContain(SHOWN);
    expect(server.seen[0]?.body).toContain('made.md');
    for (const text of everything(run)) expect(text).not.toContain(HIDDEN);
    // The names of hidden files are not sent either.
    for (const name of ['.env', 'tls.PEM', 'Notes.SECRET', 'settings.txt', 'open.md'])
      expect(server.seen[0]?.body).not.toContain(name);
  },
);

test
  .skipIf(process.platform === 'win32')
  .each(['.env', 'src/settings.txt', 'src/public/open.md', 'private/open.md', 'src/tls.PEM', '.ENV', 'no/.env'])(
  'an artifact that is named and must stay is told, and nothing is sent: %s',
  async (name) => {
    verifies('workers.pool.what-leaves');
    await set(['src/a.ts', name]);
    const run = await robosmith(...RUN.slice(0, -1), '--json');
    expect(run.code).toBe(3);
    expect(run.err).toContain(`"artifact" names ${name}, which must not leave this machine`);
    const { path: way } = JSON.parse(run.out) as Response;
    expect(way.map(({ block }) => block)).toContain('Main__First');
    expect(server.seen).toEqual([]);
    for (const text of everything(run)) expect(text).not.toContain(HIDDEN);
  },
);

test('an edit of a file that must stay tells a model nothing of its lines', async () => {
  verifies('workers.pool.what-leaves');
  await set(['src/a.ts'], {
    access: { mode: 'shared' },
    params: { operations: [{ op: 'replaceLine', path: 'private/open.md', line: 1, content: 'x', expected: 'y' }] },
  });
  const run = await robosmith(...RUN);
  expect(run.code).toBe(0);
  expect(server.seen[0]?.body).toContain('.vision/ignore protects its content');
  for (const text of everything(run)) expect(text).not.toContain(HIDDEN);
  expect(readFileSync(here.file('private/open.md'), 'utf8')).toBe(HIDDEN);
});

test('a project that is trusted does not get at secrets by changing its rules', async () => {
  verifies('workers.pool.what-leaves');
  await set(['src/a.ts']);
  expect((await robosmith(...RUN)).code).toBe(0);
  const secrets = ['.env', '.npmrc', '.git/config', 'prod.env'];
  for (const name of secrets) {
    mkdirSync(path.dirname(here.file(name)), { recursive: true });
    writeFileSync(here.file(name), HIDDEN);
  }
  writeFileSync(here.file('.vision/ignore'), secrets.map((name) => `!${name}\n`).join('') + '!.git/\n');
  for (const name of secrets) {
    writeFileSync(here.file('.vision/workflows.json'), JSON.stringify(manifest([name])));
    const run = await robosmith(...RUN);
    expect([run.code, run.out]).toEqual([3, expect.any(String)]);
    for (const text of everything(run)) expect(text).not.toContain(HIDDEN);
  }
  expect(server.seen).toHaveLength(1);
});

test('nor is one sent that is given on the command line', async () => {
  verifies('workers.pool.what-leaves');
  await set(['src/a.ts']);
  const run = await robosmith(...RUN.slice(0, -1), '--json', '--input', '@private/open.md');
  expect(run.code).toBe(2);
  expect(JSON.parse(run.out)).toMatchObject({ error: { code: 'file_ignored' } });
  expect(server.seen).toEqual([]);
  const sent = await robosmith(...RUN, '--input', '@src/a.ts');
  expect(sent.code).toBe(0);
  expect(server.seen[0]?.body).toContain(SHOWN);
});

test('init says what stays, in a file that changes nothing', async () => {
  verifies('workers.pool.what-leaves', 'cli.init');
  here = await project({});
  expect((await here.robosmith('init')).err).toContain('.vision/ignore');
  const lines = readFileSync(here.file('.vision/ignore'), 'utf8').trim().split('\n');
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([]);
  expect(lines).toContain('#   .env*');
});
