import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { GIT_CODES } from '#workers/git/git-codes.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { saysThen } from '../../../support/says-then.ts';
import { newFolder, removeFolder } from '../../../support/in-folder.ts';

let folder = '';
const slept: number[] = [];
const saved = { ...process.env };

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

async function put(name: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
}

async function hook(name: string, script: string): Promise<void> {
  await put(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  await chmod(path.join(folder, '.git/hooks', name), 0o755);
}

beforeEach(async () => {
  process.env['GIT_CONFIG_GLOBAL'] = os.devNull;
  process.env['GIT_CONFIG_NOSYSTEM'] = '1';
  folder = await newFolder();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.invalid');
  await put('src/a.ts', 'a\n');
  git('add', '--all');
  git('commit', '--quiet', '--message=First');
});
afterEach(async () => {
  process.env = { ...saved };
  await removeFolder(folder);
});

interface Options {
  readonly block?: object;
  readonly before?: readonly SegmentDraft[];
  readonly directory?: string;
}

async function committing({ block = {}, before = [], directory = folder }: Options = {}) {
  // All sleeps of this clock end immediately.
  const real = realPorts(directory);
  const ports = { ...real, clock: { ...real.clock, sleep: (ms: number) => Promise.resolve(void slept.push(ms)) } };
  const given = { append: before, name: 'Commit', worker: 'Internal:GitCommit' };
  const response = await saysThen({ ...given, block: { access: { mode: 'shared' }, ...block } }, { directory, ports });
  const last = response.data.payload.at(-1);
  return {
    response,
    signal: response.path.at(-1)?.signal,
    type: last?.type,
    meta: last?.meta ?? {},
    content: last?.content ?? '',
    commit: response.data.exports['git.commit'],
  };
}

const filesOf = (ref: string): string => git('show', '--format=', '--name-only', ref);

describe('Internal:GitCommit', () => {
  test('commits what has changed: new, changed and removed files; the sha is exported', async () => {
    verifies('workers.git-commit');
    await put('src/b c.ts', 'b\n');
    await put('src/ü\n.ts', 'u\n');
    await put('gone.ts', 'x\n');
    git('add', 'gone.ts');
    git('commit', '--quiet', '--message=Second');
    await rm(path.join(folder, 'gone.ts'));
    await put('src/a.ts', 'changed\n');
    const { signal, commit, meta } = await committing({ block: { params: { message: 'Do it\n\n# why' } } });
    expect(signal).toBe('SIGNAL:SUCCESS');
    expect(commit).toBe(git('rev-parse', 'HEAD'));
    expect(meta).toMatchObject({ commit, subject: 'Do it' });
    expect(meta['files']).toEqual(['gone.ts', 'src/a.ts', 'src/b c.ts', 'src/ü\n.ts']);
    expect(git('log', '-1', '--format=%B')).toMatch(/^Do it\n\n# why\n\nRoboSmith-Step: [0-9a-z]+\/Main__Commit#1@1$/);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('only what access covers: the rest is left, staged or not, and told', async () => {
    verifies('workers.git-commit');
    await put('src/a.ts', 'changed\n');
    await put('docs/x.md', 'x\n');
    await put('staged.md', 's\n');
    await put('.vision/logs/1.json', '{}');
    git('add', 'staged.md');
    const { meta } = await committing({ block: { access: { mode: 'partial', paths: ['src/**'] } } });
    expect(meta).toMatchObject({ files: ['src/a.ts'], left: ['staged.md', '.vision/logs/1.json', 'docs/x.md'] });
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe(
      'A  staged.md\n?? .vision/logs/1.json\n?? docs/x.md',
    );
  });

  test('new files that are named as secrets are left, templates and known ones are not', async () => {
    await put('keys/server.pem', 'known\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=Second');
    await put('keys/server.pem', 'changed\n');
    for (const name of ['.env', '.env.example', '.aws/credentials', 'src/id_rsa', 'src/env.ts']) await put(name, 'x\n');
    git('add', 'src/id_rsa');
    const { meta } = await committing();
    expect(meta).toMatchObject({
      files: ['.env.example', 'keys/server.pem', 'src/env.ts'],
      left: ['src/id_rsa', '.aws/credentials', '.env'],
    });
  });

  test('an index that another git holds is asked for six times within 3.1 s', async () => {
    await put('src/a.ts', 'changed\n');
    await put('.git/index.lock', '');
    slept.length = 0;
    const { signal, meta } = await committing();
    expect([signal, meta['code']]).toEqual(['SIGNAL:FAILURE', 'index_locked']);
    expect(slept).toEqual([100, 200, 400, 800, 1_600]);
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  test.each([{ access: { mode: 'strict' } }, { access: undefined }])('access %j: nothing', async (block) => {
    verifies('workers.git-commit', 'workers.access.modes');
    await put('src/a.ts', 'changed\n');
    const { signal, meta } = await committing({ block });
    expect([signal, meta['code']]).toEqual(['SIGNAL:FAILURE', 'nothing_allowed']);
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  test('nothing to commit is SUCCESS, and says so', async () => {
    verifies('workers.git-commit');
    const { signal, content, commit, meta } = await committing();
    expect([signal, content, commit, meta]).toEqual([
      'SIGNAL:SUCCESS',
      'Nothing to commit.',
      undefined,
      { commit: null },
    ]);
  });

  test('changes that are none for git are nothing to commit', async () => {
    git('config', 'core.autocrlf', 'true');
    await put('src/a.ts', 'a\r\n');
    const { content } = await committing();
    expect(content).toBe('Nothing to commit.');
  });

  test('in a folder of the repository, and before the first commit', async () => {
    git('update-ref', '-d', 'HEAD');
    git('rm', '--cached', '-r', '--quiet', '.');
    await put('other.ts', 'x\n');
    const { signal, meta } = await committing({ directory: path.join(folder, 'src') });
    expect([signal, meta['files']]).toEqual(['SIGNAL:SUCCESS', ['src/a.ts']]);
    expect(filesOf('HEAD')).toBe('src/a.ts');
  });

  test('another repository inside stays out', async () => {
    await put('inner/x', 'x\n');
    execFileSync('git', ['init', '--quiet'], { cwd: path.join(folder, 'inner') });
    const { content, meta } = await committing();
    expect(content).toBe('Nothing to commit; the block may not commit 1 of the changed files.');
    expect(meta['left']).toEqual(['inner/']);
  });
});

describe('what is staged already', () => {
  test('a removal, beside a new file', async () => {
    git('rm', '--quiet', 'src/a.ts');
    await put('src/c.ts', 'c\n');
    const { signal, meta } = await committing();
    expect([signal, meta['files']]).toEqual(['SIGNAL:SUCCESS', ['src/a.ts', 'src/c.ts']]);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('only removals: nothing else is added', async () => {
    git('rm', '--quiet', 'src/a.ts');
    await put('other.md', 'x\n');
    const { meta } = await committing({ block: { access: { mode: 'partial', paths: ['src/**'] } } });
    expect(meta).toMatchObject({ files: ['src/a.ts'], left: ['other.md'] });
    expect(git('status', '--porcelain')).toBe('?? other.md');
  });

  test('a new name', async () => {
    git('mv', 'src/a.ts', 'src/z.ts');
    expect((await committing()).meta['files']).toEqual(['src/a.ts', 'src/z.ts']);
    expect(git('ls-files')).toBe('src/z.ts');
  });

  test('a removal of a file that is there again', async () => {
    git('rm', '--quiet', 'src/a.ts');
    await put('src/a.ts', 'again\n');
    expect((await committing()).meta['files']).toEqual(['src/a.ts']);
    expect(git('show', 'HEAD:src/a.ts')).toBe('again');
  });

  test('a new file that is gone again, alone and beside another', async () => {
    await put('t.ts', 't\n');
    git('add', 't.ts');
    await rm(path.join(folder, 't.ts'));
    await put('c.ts', 'c\n');
    expect((await committing()).meta['files']).toEqual(['c.ts']);
    await put('t.ts', 't\n');
    git('add', 't.ts');
    await rm(path.join(folder, 't.ts'));
    expect((await committing({ block: { params: { message: 'Other' } } })).content).toBe('Nothing to commit.');
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('patterns', () => {
  test('a name that looks like one is itself, below the top too, and a pattern of a hook finds what it means', async () => {
    await mkdir(path.join(folder, 'src/below'), { recursive: true });
    for (const name of ['[a].ts', ':(top)x', '*.ts']) await put(`src/below/${name}`, 'x\n');
    await put('src/below/a.ts', 'x\n');
    await hook('pre-commit', "git diff --cached --name-only -- '*/[a].ts' > .git/seen");
    const access = { mode: 'partial', paths: ['\\[a\\].ts', '*top*', '\\*.ts'] };
    const { meta } = await committing({ block: { access }, directory: path.join(folder, 'src/below') });
    expect(meta).toMatchObject({ left: ['a.ts'] });
    expect(git('ls-files', 'src/below').split('\n').sort()).toEqual(
      ['*.ts', ':(top)x', '[a].ts'].map((name) => `src/below/${name}`),
    );
    expect(await readFile(path.join(folder, '.git/seen'), 'utf8')).toBe('');
    await committing();
    expect(await readFile(path.join(folder, '.git/seen'), 'utf8')).toBe('src/below/a.ts\n');
  });
});

describe('a name that changes its kind', () => {
  test('a file becomes a folder', async () => {
    await rm(path.join(folder, 'src/a.ts'));
    await put('src/a.ts/x', 'x\n');
    expect((await committing()).signal).toBe('SIGNAL:SUCCESS');
    expect([git('ls-files'), git('status', '--porcelain')]).toEqual(['src/a.ts/x', '']);
  });

  test('a folder becomes a file', async () => {
    await rm(path.join(folder, 'src'), { recursive: true });
    await put('src', 'x\n');
    expect((await committing()).signal).toBe('SIGNAL:SUCCESS');
    expect([git('ls-files'), git('status', '--porcelain')]).toEqual(['src', '']);
  });

  test('what is in the folder, and may not be committed, is not', async () => {
    await rm(path.join(folder, 'src/a.ts'));
    await put('src/a.ts/x', 'x\n');
    git('add', '--all');
    await put('src/b.ts', 'b\n');
    const { meta } = await committing({ block: { access: { mode: 'partial', paths: ['src/*.ts'] } } });
    expect(meta).toMatchObject({ files: ['src/b.ts'], left: ['src/a.ts', 'src/a.ts/x'] });
  });
});

describe('its message', () => {
  const segment = (content: string): readonly SegmentDraft[] => [{ type: 'COMMIT_MESSAGE', content }];
  const trailer = /RoboSmith-Step: \S+$/;

  test.each<[string, Options, string]>([
    ['the manifest', { block: { params: { message: 'Mine' } }, before: segment('Theirs') }, 'Mine\n\n'],
    ['a segment, without its signal', { before: segment('Add b\n\nWhy.\n\nSIGNAL:SUCCESS\n') }, 'Add b\n\nWhy.\n\n'],
    ['a fence', { before: segment('Here:\n```\nAdd b\n```\n') }, 'Add b\n\n'],
    [
      'a message with trailers',
      { before: segment('Add b\n\nSigned-off-by: A <a@b>') },
      'Add b\n\nSigned-off-by: A <a@b>\n',
    ],
    ['nobody', {}, 'Main: Commit\n\n'],
    ['nobody who says anything', { before: segment(' \n\u0000') }, 'Main: Commit\n\n'],
    ['somebody who says whose it is', { before: segment('Add b\n\nRoboSmith-Step: x@1') }, 'Add b\n\n'],
  ])('comes from %s', async (_from, options, expected) => {
    verifies('workers.git-commit');
    await put('src/b.ts', 'b\n');
    await committing(options);
    const message = git('log', '-1', '--format=%B');
    expect(message).toMatch(trailer);
    expect(message.replace(trailer, '')).toBe(expected);
  });
});

describe('what is in its way', () => {
  test('no repository', async () => {
    await rm(path.join(folder, '.git'), { recursive: true });
    process.env['GIT_CEILING_DIRECTORIES'] = path.dirname(folder);
    expect((await committing()).meta['code']).toBe('not_a_repository');
  });

  test('conflicts of a merge, and a merge that is not concluded', async () => {
    verifies('workers.git-commit');
    git('checkout', '--quiet', '-b', 'other');
    await put('src/a.ts', 'theirs\n');
    git('commit', '--quiet', '--all', '--message=Theirs');
    git('checkout', '--quiet', 'main');
    await put('src/a.ts', 'ours\n');
    git('commit', '--quiet', '--all', '--message=Ours');
    expect(() => git('merge', 'other')).toThrow();
    const { signal, type, meta } = await committing();
    expect([signal, type]).toEqual(['SIGNAL:FAILURE', 'GIT_ERROR']);
    expect(meta).toEqual({ code: 'merge_conflicts', paths: ['src/a.ts'] });
    git('add', 'src/a.ts');
    expect((await committing()).meta['code']).toBe('merge_in_progress');
    expect(git('rev-list', '--count', 'HEAD')).toBe('2');
  });

  test.each([['--merge'], ['--apply']])('a rebase %s that is not concluded', async (backend) => {
    verifies('workers.git-commit');
    git('checkout', '--quiet', '-b', 'other');
    await put('src/a.ts', 'theirs\n');
    git('commit', '--quiet', '--all', '--message=Theirs');
    git('checkout', '--quiet', 'main');
    await put('src/a.ts', 'ours\n');
    git('commit', '--quiet', '--all', '--message=Ours');
    expect(() => git('rebase', '--quiet', backend, 'other')).toThrow();
    await put('src/a.ts', 'both\n');
    git('add', 'src/a.ts');
    expect((await committing()).meta['code']).toBe('merge_in_progress');
    // An interrupted rebase may have no REBASE_HEAD.
    git('update-ref', '-d', 'REBASE_HEAD');
    expect((await committing()).meta['code']).toBe('merge_in_progress');
    expect(git('rev-parse', 'HEAD')).toBe(git('rev-parse', 'other'));
  });

  test('nobody who commits', async () => {
    verifies('workers.git-commit');
    git('config', '--unset', 'user.name');
    git('config', '--unset', 'user.email');
    git('config', 'user.useConfigOnly', 'true');
    await put('src/b.ts', 'b\n');
    const { signal, meta } = await committing();
    expect([signal, meta['code']]).toEqual(['SIGNAL:FAILURE', 'identity_missing']);
    expect(git('status', '--porcelain')).toBe('?? src/b.ts');
  });

  test('a lock; when it is gone, the commit is made', async () => {
    verifies('workers.git-commit');
    await put('src/b.ts', 'b\n');
    await put('.git/index.lock', '');
    const { signal, meta, content } = await committing();
    expect([signal, meta['code']]).toEqual(['SIGNAL:FAILURE', 'index_locked']);
    expect(content).toContain('index.lock');
    await rm(path.join(folder, '.git/index.lock'));
    expect((await committing()).signal).toBe('SIGNAL:SUCCESS');
  });

  test.skipIf(process.platform === 'win32')(
    'a hook that refuses; hooks are respected unless the block says otherwise',
    async () => {
      verifies('workers.git-commit');
      await hook('pre-commit', 'echo "no lint, no commit" >&2; exit 1');
      await put('src/b.ts', 'b\n');
      const { signal, meta, content } = await committing();
      expect([signal, meta['code']]).toEqual(['SIGNAL:FAILURE', 'hook_refused']);
      expect(content).toContain('no lint, no commit');
      expect((await committing({ block: { params: { hooks: false } } })).signal).toBe('SIGNAL:SUCCESS');
    },
  );

  test.skipIf(process.platform === 'win32').each(['error: lint failed in a.ts', 'fatal: no\\nlint failed'])(
    'a hook that says "%s" is a hook all the same',
    async (said) => {
      await hook('pre-commit', `printf '${said}\\n' >&2; exit 1`);
      await put('src/b.ts', 'b\n');
      expect((await committing()).meta['code']).toBe('hook_refused');
    },
  );

  test.skipIf(process.platform === 'win32')('what git itself can not do is no matter of hooks', async () => {
    await hook('pre-commit', 'echo fine');
    git('config', 'commit.gpgSign', 'true');
    git('config', 'gpg.program', 'false');
    await put('src/b.ts', 'b\n');
    expect((await committing()).meta['code']).toBe('git_failed');
  });

  test.skipIf(process.platform === 'win32')(
    'a hook that takes our mark away: the commit is told all the same',
    async () => {
      await hook('commit-msg', 'sed -i.old "/RoboSmith-Step/d" "$1"');
      await put('src/b.ts', 'b\n');
      expect((await committing()).commit).toBe(git('rev-parse', 'HEAD'));
    },
  );

  test('a manifest that says nonsense is refused before anything runs', async () => {
    for (const params of [{ message: 1 }, { hooks: 'maybe' }]) {
      await put('src/b.ts', 'b\n');
      expect((await committing({ block: { params } })).response.reason).toBe('invalid_graph');
    }
  });

  test.skipIf(process.platform === 'win32')('a git that warns of something commits all the same', async () => {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    await put(
      '.git/bin/git',
      `#!/bin/sh\necho "warning: unable to access a config: Permission denied" >&2\nexec '${real}' "$@"\n`,
    );
    await chmod(path.join(folder, '.git/bin/git'), 0o755);
    process.env['PATH'] = `${path.join(folder, '.git/bin')}${path.delimiter}${saved['PATH'] ?? ''}`;
    await put('src/b.ts', 'b\n');
    const { signal, commit } = await committing();
    expect([signal, commit]).toEqual(['SIGNAL:SUCCESS', git('rev-parse', 'HEAD').split('\n').at(-1)]);
    expect(filesOf('HEAD')).toBe('src/b.ts');
  });

  test.skipIf(process.platform !== 'linux')(
    'a name that is no UTF-8 stays, and is told; the others are committed',
    async () => {
      await writeFile(Buffer.from(`${folder}/caf\u00e9.txt`, 'latin1'), 'x');
      await put('src/b.ts', 'b\n');
      const { signal, meta } = await committing();
      expect([signal, meta['left']]).toEqual(['SIGNAL:SUCCESS', ['caf\ufffd.txt']]);
      expect(filesOf('HEAD')).toBe('src/b.ts');
    },
  );

  test('no git at all is no fault of the block', async () => {
    process.env['PATH'] = '/no-such-folder';
    expect((await committing()).signal).toBe('SIGNAL:ERROR');
  });

  test('every code is explained', async () => {
    const documented = await readFile(new URL('../../../../schemas/errors.md', import.meta.url), 'utf8');
    for (const code of GIT_CODES) expect(documented).toContain(`| \`${code}\` |`);
  });
});
