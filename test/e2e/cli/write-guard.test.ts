import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { agentManifest, commitAll } from './agent-setting.ts';
import { type Project, project, to } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const read = (name: string): string => readFileSync(at.file(name), 'utf8');
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: at.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const ROWS = [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')];

const FILES = {
  'src/a.txt': 'a\n',
  'other/b.txt': 'b\n',
  'package.json': '{}\n',
  '.flow/.keep': '',
  '.gitignore': '.flow/\n.vision/logs/\n',
};

/** Returns the types of all segments of the last halted run. */
const typesOf = (out: string): readonly string[] => (JSON.parse(out) as Response).data.payload.map(({ type }) => type);

describe('a command with an "access"', () => {
  const SHELL = {
    'Worker:Sh': { kind: 'command', command: ['sh', 'do.sh'], side_effects: 'idempotent' },
  };
  const PARAMS = { params: { command: ['sh', 'do.sh'] } };

  const set = async (block: object, script: string): Promise<void> => {
    at = await project({
      ...FILES,
      'do.sh': script,
      '.vision/workflows.json': {
        version: 1,
        entry: 'Main',
        commands: { test: ['sh', 'do.sh'], lint: ['sh', 'do.sh'], build: ['sh', 'do.sh'] },
        workers: SHELL,
        nodes: { Main: { entry_block: 'Do', blocks: { Do: { ...block, transitions: ROWS } } } },
      },
    });
    commitAll(at.folder);
  };

  const SRC = { access: { mode: 'partial', paths: ['src/**'] } };
  const EVIL = [
    'echo fixed > src/a.txt; rm package.json; echo x > other/b.txt; git add -A',
    'git config core.hooksPath /tmp; echo "#!/bin/sh" > .git/hooks/pre-commit; echo {} > .vision/workflows.json',
    'echo "- [ ] Deploy" > .flow/status.md',
  ].join('\n');

  test.each([
    ['kind: command', { worker: 'Worker:Sh' }],
    ['Internal:Command', { worker: 'Internal:Command', ...PARAMS }],
    ['Internal:TestRunner', { worker: 'Internal:TestRunner' }],
    ['Internal:RunLinter', { worker: 'Internal:RunLinter' }],
    ['Internal:RunBuilder', { worker: 'Internal:RunBuilder' }],
  ])('%s: what it changes elsewhere is put back, and is a failure', async (_, block) => {
    verifies('workers.ai.agent-access');
    await set({ ...block, ...SRC }, EVIL);
    const manifest = read('.vision/workflows.json');
    const { code, out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
    expect([code, typesOf(out).includes('ACCESS_VIOLATION')]).toEqual([3, true]);
    expect([read('src/a.txt'), read('other/b.txt'), read('package.json')]).toEqual(['fixed\n', 'b\n', '{}\n']);
    expect(git('status', '--porcelain')).toBe('M  src/a.txt\n');
    expect([read('.vision/workflows.json'), existsSync(at.file('.git/hooks/pre-commit'))]).toEqual([manifest, false]);
    expect(existsSync(at.file('.flow/status.md'))).toBe(false);
  });

  test.each([
    ['none is written', {}],
    ['it may write there', { access: { mode: 'shared' } }],
  ])('what it changes stays where %s', async (_, access) => {
    await set({ worker: 'Worker:Sh', ...access }, 'rm package.json; echo x > other/b.txt');
    expect((await at.robosmith('run', 'Main', '--in', '.', '--trust')).code).toBe(0);
    expect([existsSync(at.file('package.json')), read('other/b.txt')]).toEqual([false, 'x\n']);
  });

  test('"strict" and "partial" without a list hold it too', async () => {
    for (const mode of ['strict', 'partial']) {
      await set({ worker: 'Worker:Sh', access: { mode } }, 'echo x > other/b.txt');
      expect([(await at.robosmith('run', 'Main', '--in', '.', '--trust')).code, read('other/b.txt')]).toEqual([
        3,
        'b\n',
      ]);
      if (mode === 'strict') await at.remove();
    }
  });
});

describe('an agent that may write src/** alone', () => {
  const PLAN = '- [ ] Fix <!-- type: flow, node: Main -->\n- [ ] Review <!-- type: flow, node: Ok -->\n';

  const set = async (script: string): Promise<void> => {
    const command = (name: string) => ({
      entry_block: 'Do',
      blocks: { Do: { worker: 'Internal:Command', params: { command: ['touch', name] }, transitions: ROWS } },
    });
    at = await project({
      ...FILES,
      '.vision/workflows.json': agentManifest(
        { command: ['sh', 'agent.sh'] },
        {},
        { Ok: command('reviewed'), Deploy: command('deployed') },
      ),
      'agent.sh': `${script}\necho SIGNAL:SUCCESS\n`,
      '.flow/status.md': PLAN,
    });
    commitAll(at.folder);
  };

  test('rewrites no plan that work obeys', async () => {
    verifies('workers.ai.agent-access');
    await set(
      "printf '%s\\n' '- [/] Fix' '- [x] Review' '- [ ] Deploy <!-- type: flow, node: Deploy -->' > .flow/status.md; rm -f .flow/status.meta",
    );
    const { code, err } = await at.robosmith('work', '--trust');
    expect([code, err]).toEqual([3, expect.stringContaining('.flow/status.md was changed')]);
    expect([existsSync(at.file('deployed')), read('.flow/status.md')]).toEqual([false, PLAN.replace('[ ]', '[/]')]);
    expect((await at.robosmith('work', '--trust')).code).toBe(3);
    expect(existsSync(at.file('deployed'))).toBe(false);
  });

  test.each(['.flow/guards', '.flow'])('costs the user nothing by removing %s', async (folder) => {
    await set(`echo x > other/b.txt; rm package.json; rm -rf ${folder} 2> /dev/null; true`);
    const { code } = await at.robosmith('run', 'Main', '--in', '.', '--trust');
    // The run is lost if `.flow` is removed, because its journal is in that folder.
    expect(code).toBe(folder === '.flow' ? 1 : 3);
    expect([read('other/b.txt'), read('package.json')]).toEqual(['b\n', '{}\n']);
  });
});
