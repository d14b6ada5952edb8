import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { NODE, PROGRAM, to } from '../e2e/cli/robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from '../e2e/cli/session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

const PLAN = {
  worker: 'Internal:UpdateChangePlan',
  transitions: [to('FAIL_DEFAULT', 'RETURN'), to('SUCCESS', 'RETURN')],
};

const manifest = (more: object) => ({
  version: 1,
  entry: 'Main',
  nodes: { Main: { entry_block: 'Plan', blocks: { Plan: PLAN } } },
  ...more,
});

const writes = (file: string): readonly string[] => [
  NODE,
  '-e',
  `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`,
];

test('merge --verify starts no command of the manifest before somebody trusts that command', async () => {
  at = await sessionProject(manifest({}));
  const [first, second] = ['one', 'two'].map((name) => path.join(at.folder, '..', name));
  if (first === undefined || second === undefined) throw new Error('two files were named');
  at.write('.vision/workflows.json', JSON.stringify(manifest({ commands: { test: writes(first) } })));
  at.write('.flow/flow.registry.json', '{"Internal:UpdateChangePlan": "builtin:UpdateChangePlan"}');
  at.git('commit', '-qam', 'a command');
  expect((await at.robosmith('sessions', 'new', 'T1')).code).toBe(0);
  const { id, worktree } = await at.session('T1');
  writeFileSync(path.join(worktree ?? '', 'new.txt'), 'new');
  const asked = await at.robosmith('sessions', 'merge', 'T1', '--verify');
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining(`robosmith sessions merge ${id} --verify --trust`),
  ]);
  expect(asked.err).toContain('1. ');
  expect(existsSync(first)).toBe(false);
  // The trust in this command does not extend to the next command.
  expect((await at.robosmith('sessions', 'merge', id, '--verify', '--trust')).code).toBe(0);
  expect(existsSync(first)).toBe(true);
  at.write('.vision/workflows.json', JSON.stringify(manifest({ commands: { test: writes(second) } })));
  at.git('commit', '-qam', 'another command');
  expect((await at.robosmith('sessions', 'new', 'T2')).code).toBe(0);
  writeFileSync(path.join((await at.session('T2')).worktree ?? '', 'more.txt'), 'new');
  expect((await at.robosmith('sessions', 'merge', 'T2', '--verify')).code).toBe(2);
  expect(existsSync(second)).toBe(false);
});

test('the teardown of a worktree is run only in the version that was trusted', async () => {
  const torn = (name: string): string => path.join(at.folder, '..', name);
  at = await sessionProject(MANIFEST);
  const teardown = (name: string): void => {
    at.write('.vision/workflows.json', JSON.stringify({ ...MANIFEST, worktree: { teardown: [writes(torn(name))] } }));
    at.git('commit', '-qam', name);
  };
  at.openGate();
  teardown('trusted');
  for (const title of ['Alpha', 'Beta', 'Gamma'])
    expect((await at.robosmith('run', 'Fix', '--session', title, '--trust')).code).toBe(0);
  expect((await at.robosmith('sessions', 'discard', 'Alpha', '--force')).code).toBe(0);
  expect(existsSync(torn('trusted'))).toBe(true);
  teardown('changed');
  const discarded = await at.robosmith('sessions', 'discard', 'Beta', '--force');
  expect([discarded.code, discarded.out + discarded.err]).toEqual([
    0,
    expect.stringContaining('"teardown" of its manifest was not run'),
  ]);
  expect(existsSync(torn('changed'))).toBe(false);
  expect((await at.robosmith('sessions', 'merge', 'Gamma', '--trust')).code).toBe(0);
  expect(existsSync(torn('changed'))).toBe(true);
});

test("no git setting of the repository's starts a monitor", async () => {
  at = await sessionProject(manifest({}));
  at.write('.flow/flow.registry.json', '{"Internal:UpdateChangePlan": "builtin:UpdateChangePlan"}');
  const marked = path.join(at.folder, '..', 'monitor');
  at.git('config', 'core.fsmonitor', `touch '${marked}'; false`);
  expect((await at.robosmith('sessions', 'new', 'T1')).code).toBe(0);
  expect((await at.robosmith('status')).code).toBe(0);
  expect((await at.robosmith('run', 'Main', '--in', '.', '--json')).code).toBe(0);
  expect(existsSync(marked)).toBe(false);
});

test('files of a clone that look like a bare repository start no hook', async () => {
  at = await sessionProject(manifest({}));
  const sub = path.join(at.folder, 'sub');
  mkdirSync(sub);
  const inside = ['-c', 'safe.bareRepository=all', '-c', 'user.name=A', '-c', 'user.email=a@b'];
  at.gitIn(sub, 'init', '-q', '--bare', '--initial-branch=main', '.');
  const tree = at.gitIn(sub, ...inside, 'hash-object', '-w', '-t', 'tree', '--stdin').trim();
  at.gitIn(sub, ...inside, 'update-ref', 'HEAD', at.gitIn(sub, ...inside, 'commit-tree', '-m', 'x', tree).trim());
  const marked = path.join(at.folder, '..', 'hook');
  for (const hook of ['post-checkout', 'reference-transaction'])
    writeFileSync(path.join(sub, 'hooks', hook), `#!/bin/sh\ntouch '${marked}'\n`, { mode: 0o755 });
  cpSync(at.file('.vision'), path.join(sub, '.vision'), { recursive: true });
  mkdirSync(path.join(sub, '.flow'));
  const refused = await at.robosmith('-C', sub, 'sessions', 'new', 'T1');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('cannot use bare repository')]);
  expect(existsSync(marked)).toBe(false);
});

/** Runs a command on a pseudo-terminal (util-linux), and answers the question once `before` has been called. */
async function answering(question: string, before: () => void, keys: string, ...args: readonly string[]) {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const env = {
    ...process.env,
    CI: undefined,
    TERM: 'xterm',
    ROBOSMITH_CONFIG_DIR: path.join(at.folder, '..', 'config'),
  };
  const child = spawn('script', ['-qec', `stty cols 100 rows 40; exec ${command}`, '/dev/null'], {
    cwd: at.folder,
    env,
  });
  let text = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const asked = stripVTControlCharacters(text).split(question).length - 1;
    // The prompt is drawn again when it is answered: only the first two questions count.
    if (asked === 0 || answered > 1) return;
    if (answered === 0) {
      answered = 1;
      before();
      child.stdin.write(keys.charAt(0));
    } else if (stripVTControlCharacters(text).includes('The list changed while you read it')) {
      answered = 2;
      child.stdin.write(keys.charAt(1));
    }
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text: stripVTControlCharacters(text) };
}

test.skipIf(process.platform !== 'linux')(
  'what changes while a person reads the list is not executed: the person is asked again',
  async () => {
    at = await sessionProject({
      version: 1,
      entry: 'Main',
      nodes: { Main: { entry_block: 'X', blocks: { X: { worker: 'My:W', transitions: [to('SUCCESS', 'RETURN')] } } } },
    });
    const marked = path.join(at.folder, '..', 'changed');
    const worker = (body: string) =>
      `${body}\nexport const w = { sideEffects: 'none', execute: async () => ({ signal: 'SIGNAL:SUCCESS' }) };`;
    at.write('.flow/flow.registry.json', '{"My:W": "./w.mjs#w"}');
    at.write('w.mjs', worker(''));
    const change = (): void =>
      at.write(
        'w.mjs',
        worker(`import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marked)}, '');`),
      );
    const { code, text } = await answering('Do you trust it?', change, 'yn', 'run', 'Main', '--in', '.');
    expect(text).toContain('The list changed while you read it; nothing was approved.');
    expect(code).toBe(2);
    expect(existsSync(marked)).toBe(false);
    expect((await at.robosmith('run', 'Main', '--in', '.')).code).toBe(2);
  },
);
