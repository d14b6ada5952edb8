import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { responseOf } from './durable-documents.ts';
import { NODE, project, type Project, to } from './robosmith.ts';
import { sessionProject } from './session-project.ts';

let at: Project;
afterEach(() => at.remove());

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
const EDIT = [
  "const { writeFileSync } = require('fs');",
  "writeFileSync('src/a.txt', 'two\\n');",
  "writeFileSync('new.txt', 'new\\n'.repeat(100));",
  "writeFileSync('.env', 'SECRET=1\\n');",
].join('');

const manifest = (params: object, node = NODE) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Edit': { kind: 'command', command: [node, '-e', EDIT] } },
  nodes: {
    Main: {
      entry_block: 'Edit',
      blocks: {
        Edit: { worker: 'Worker:Edit', transitions: [to('SUCCESS', 'JUMP:Diff'), HALT] },
        Diff: { worker: 'Internal:Diff', params, transitions: [to('SUCCESS', 'RETURN'), HALT] },
      },
    },
  },
});

const diffOf = (out: string): { readonly content: string; readonly meta: object } => {
  const found = responseOf(out).data.payload.find(({ type }) => type === 'DIFF');
  if (found === undefined) throw new Error('there is no DIFF segment');
  return found;
};

describe('Internal:Diff', () => {
  test('gives reviewers what a session has changed, without files that may not leave the machine', async () => {
    verifies('workers.diff');
    const sessions = await sessionProject(manifest({}, 'node'));
    at = sessions;
    sessions.write('.flow/flow.registry.json', '{ "Internal:Diff": "builtin:Diff" }');
    const { code, out, err } = await sessions.robosmith('run', '--trust', '--json');
    expect([code, err]).toEqual([0, expect.stringContaining('Completed')]);
    const since = sessions.git('rev-parse', 'main').trim();
    const { content, meta } = diffOf(out);
    expect(content.split('\n').slice(0, 3)).toEqual([
      `101 lines added and 1 deleted in 2 files since ${since.slice(0, 10)}.`,
      "Not shown, because of the project's rules: .env.",
      '',
    ]);
    expect(content).toContain('-one\n+two');
    expect(content).not.toContain('SECRET');
    expect(meta).toMatchObject({ since, files: 2, listed: ['new.txt', 'src/a.txt'], kept_back: ['.env'] });
    expect(responseOf(out).data.exports).toMatchObject({ 'diff.files': 2, 'diff.added': 101, 'diff.deleted': 1 });
  });

  test('works in a folder as well, for named paths and within its limit, and fails outside of git', async () => {
    verifies('workers.diff');
    at = await project({
      '.flow/.keep': '',
      '.gitignore': '.flow/\n.vision/logs/\n',
      'src/a.txt': 'one\n',
      '.vision/workflows.json': manifest({ since: 'commit', paths: ['./new.txt'], max_bytes: 300 }),
    });
    const outside = await at.robosmith('run', '--in', '.', '--trust', '--json');
    expect(outside.code).toBe(3);
    expect(responseOf(outside.out).data.payload.at(-1)).toMatchObject({
      type: 'DIFF_ERROR',
      content: 'There is no diff: the directory of the run is not in a git repository with a commit',
    });
    const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: at.folder, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '-q', '--allow-empty', '-m', 'one');
    const inside = await at.robosmith('run', '--in', '.', '--json');
    const { content, meta } = diffOf(inside.out);
    expect(meta).toMatchObject({ listed: ['new.txt'], kept_back: [] });
    expect(content).toMatch(/^100 lines added and 0 deleted in 1 file since [0-9a-f]{10}\.\n\d+ lines of the diff are/);
    expect(content.length).toBeLessThan(600);
  });

  test('a start that can not be shown honestly is refused before the run', async () => {
    verifies('workers.diff');
    at = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest({ since: 'step', max_bytes: 0 }) });
    const { code, out, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect((out + err).replaceAll(/\s+/g, ' ')).toContain(
      '`"base"`, where the session started, or `"commit"`, the last commit',
    );
  });
});
