import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { responseOf } from './durable-documents.ts';
import { ended, project, type Project, start, to } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;
const PARTIAL = { mode: 'partial', paths: ['src/**', 'README.md'] };

const workflow = (blocks: object, answers: object) => ({
  '.flow/.keep': '',
  '.vision/workflows.json': {
    version: 1,
    entry: 'Main',
    workers: { 'Worker:Coder': { kind: 'scripted', answers: './answers.json' } },
    nodes: { Main: { entry_block: 'Say', blocks } },
  },
  '.vision/answers.json': answers,
});

const OLD = Array.from({ length: 12 }, (_, index) => `export const v${index} = ${index};\n`).join('');
const NEW = OLD.replace('v3 = 3', 'v3 = 33');
const LAZY = '```ts src/a.ts\nexport const v3 = 33;\n// ... rest of the code unchanged\n```\nSIGNAL:SUCCESS';

test('a lazy rewrite is refused and told to the model, which writes the whole file the next time', async () => {
  verifies('workers.access.lazy-rewrite');
  at = await project({
    ...workflow(
      {
        Say: { worker: 'Worker:Coder', artifact: ['src/a.ts'], transitions: [to('SUCCESS', 'JUMP:Write'), HALT] },
        Write: {
          worker: 'Internal:FileSystemWriter',
          access: PARTIAL,
          params: { rewrite: true },
          transitions: [
            to('SUCCESS', 'RETURN'),
            {
              ...to('FAILURE', 'JUMP:Say'),
              condition: { id: 'visits.less_than', args: [4] },
            },
            HALT,
          ],
        },
      },
      {
        Main__Say: [
          { text: LAZY },
          { text: '```ts src/a.ts\nexport const v3 = 33;\n```\nSIGNAL:SUCCESS' },
          { text: `\`\`\`ts src/a.ts\n${NEW}\`\`\`\nSIGNAL:SUCCESS` },
        ],
      },
    ),
    'src/a.ts': OLD,
  });
  const { code, out } = await at.robosmith(...RUN, '--json');
  const { data, path: steps } = responseOf(out);
  expect(code).toBe(0);
  expect(steps.map(({ signal }) => signal?.slice('SIGNAL:'.length))).toEqual([
    ...['SUCCESS', 'FAILURE', 'SUCCESS', 'FAILURE', 'SUCCESS', 'SUCCESS'],
  ]);
  const errors = data.payload.filter(({ type }) => type === 'WRITE_ERROR').map(({ content }) => content);
  expect(errors).toHaveLength(2);
  expect(errors[0]).toMatch(
    /^"src\/a\.ts" was rejected, so nothing was written: the line "\/\/ \.\.\. rest of the code unchanged" stands for lines that are left out\./,
  );
  expect(errors[1]).toMatch(
    /^"src\/a\.ts" was rejected, so nothing was written: it would remove more than half of the file \(12 lines now, 1 in the answer\)\./,
  );
  expect(errors.every((error) => error.includes('```ts path=src/a.ts'))).toBe(true);
  expect(await readFile(at.file('src/a.ts'), 'utf8')).toBe(NEW);
});

test('documentation is written without its preamble', async () => {
  verifies('workers.documentation-writer');
  at = await project(
    workflow(
      {
        Say: { worker: 'Worker:Coder', transitions: [to('SUCCESS', 'JUMP:Write'), HALT] },
        Write: {
          worker: 'Internal:DocumentationWriter',
          artifact: 'README.md',
          transitions: [to('SUCCESS', 'RETURN'), HALT],
        },
      },
      { Main__Say: [{ text: 'Sure, here it is!\n\n# Title\n\nText.\n\nSIGNAL:SUCCESS' }] },
    ),
  );
  expect((await at.robosmith(...RUN)).code).toBe(0);
  expect(await readFile(at.file('README.md'), 'utf8')).toBe('# Title\n\nText.\n');
});

const COMMITS = workflow(
  {
    Say: { worker: 'Worker:Coder', transitions: [to('SUCCESS', 'JUMP:Write'), HALT] },
    Write: { worker: 'Internal:FileSystemWriter', access: PARTIAL, transitions: [to('SUCCESS', 'JUMP:Commit'), HALT] },
    Commit: {
      worker: 'Internal:GitCommit',
      access: PARTIAL,
      params: { message: 'Add b' },
      transitions: [to('SUCCESS', 'RETURN'), HALT],
    },
  },
  { Main__Say: [{ text: '```ts src/b.ts\nexport const b = 1;\n```\nSIGNAL:SUCCESS' }] },
);

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: at.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

async function repository(): Promise<void> {
  at = await project(COMMITS);
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.invalid');
  git('commit', '--quiet', '--allow-empty', '--message=First');
}

/** Installs a git hook that runs this script the first time; `$engine` is the process id of the engine. */
async function hookOnce(name: string, script: string): Promise<void> {
  const folder = path.join(at.folder, '.git');
  await mkdir(path.join(folder, 'hooks'), { recursive: true });
  const file = path.join(folder, 'hooks', name);
  const done = path.join(folder, 'hook-done');
  await writeFile(
    file,
    `#!/bin/sh\n[ -f '${done}' ] && exit 0\n: > '${done}'\nengine=$(cat '${path.join(folder, 'engine')}')\n${script}\n`,
  );
  await chmod(file, 0o755);
}

/** Runs the workflow until a hook kills the engine with SIGKILL. */
async function crash(): Promise<void> {
  const child = start(RUN, at.folder);
  writeFileSync(path.join(at.folder, '.git', 'engine'), String(child.pid));
  expect((await ended(child)).code).toBe(null);
}

const isOnce = (out: string): void => {
  expect(git('log', '--format=%s')).toBe('Add b\nFirst');
  const { data } = responseOf(out);
  expect(
    data.payload.filter(({ type }) => type === 'GIT_COMMIT').map(({ content }) => content.split('\n').slice(1)),
  ).toEqual([['src/b.ts']]);
  expect(git('status', '--porcelain', 'src')).toBe('');
};

describe.skipIf(process.platform === 'win32')('a commit is made exactly once, when the engine is killed', () => {
  test('right before it', async () => {
    verifies('workers.git-commit');
    await repository();
    await hookOnce('pre-commit', 'kill -9 $engine; exit 1');
    await crash();
    expect(git('log', '--format=%s')).toBe('First');
    const { code, out } = await at.robosmith('resume', '--json');
    expect(code).toBe(0);
    isOnce(out);
  });

  test('right after it', async () => {
    verifies('workers.git-commit');
    await repository();
    await hookOnce('post-commit', 'kill -9 $engine');
    await crash();
    expect(git('log', '--format=%s')).toBe('Add b\nFirst');
    const { code, out } = await at.robosmith('resume', '--json');
    expect(code).toBe(0);
    isOnce(out);
    const journal = await readFile(at.file(`.flow/runs/${responseOf(out).metadata.run_id}/journal.jsonl`), 'utf8');
    expect(journal.split('\n').filter((line) => line.includes('"found":true'))).toHaveLength(1);
  });

  test('and git would go on without it, for as long as it likes: it is ended first', async () => {
    verifies('workers.git-commit');
    await repository();
    await hookOnce('pre-commit', 'kill -9 $engine; while :; do sleep 0.05; done');
    await crash();
    const { code, out } = await at.robosmith('resume', '--json');
    expect(code).toBe(0);
    expect(git('log', '--format=%s')).toBe('Add b\nFirst');
    expect(responseOf(out).data.exports['git.commit']).toBe(git('rev-parse', 'HEAD'));
  });
});

test('GitCommit and the writers are in force: nothing warns of them', async () => {
  await repository();
  const { code, out, err } = await at.robosmith('validate', '--json');
  expect([code, out.includes('RS4008'), err.includes('RS4008')]).toEqual([0, false, false]);
});
