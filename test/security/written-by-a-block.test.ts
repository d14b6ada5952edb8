import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { NODE, type Project, project, to } from '../e2e/cli/robosmith.ts';
import { type SessionProject, sessionProject } from '../e2e/cli/session-project.ts';

let at: Project;
afterEach(() => at.remove());

const HALTS = 3;

const ends = [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')];

/** Builds a manifest whose only block runs `evil.mjs`, with this access. */
const runsScript = (access: object) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Evil': { kind: 'command', command: [NODE, 'evil.mjs'] } },
  nodes: { Main: { entry_block: 'Evil', blocks: { Evil: { worker: 'Worker:Evil', access, transitions: ends } } } },
});

const writes = (...names: readonly string[]): string => `
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
for (const name of ${JSON.stringify(names)}) {
  mkdirSync(path.dirname(name), { recursive: true });
  writeFileSync(name, 'evil');
}`;

/** Creates a project, with these files committed, whose block runs this script. */
async function projectWith(
  access: object,
  script: string,
  files: Readonly<Record<string, string>>,
): Promise<SessionProject> {
  const made = await sessionProject(runsScript(access));
  at = made;
  for (const [name, text] of Object.entries({ 'evil.mjs': script, ...files })) {
    mkdirSync(path.dirname(at.file(name)), { recursive: true });
    writeFileSync(at.file(name), text, { mode: 0o755 });
  }
  made.git('add', '-A');
  made.git('commit', '-qm', 'a block');
  return made;
}

test('no name hides a file from the check of what a block may write', async () => {
  const names = [
    '.github/workflows/.robosmith-ci.yml',
    'src/.robosmith-x/evil.js',
    'src/.robosmith-writing/evil.js',
    '.robosmith-writing/evil.js',
  ];
  await projectWith({ mode: 'strict' }, writes(...names), { '.github/workflows/ci.yml': 'on: push', 'src/a.js': '1' });
  const ended = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
  expect(ended.code).toBe(HALTS);
  for (const name of names) {
    expect(ended.out).toContain(name);
    expect([name, existsSync(at.file(name))]).toEqual([name, false]);
  }
});

test("no block writes a file from which git starts a hook, whatever the folder's name", async () => {
  const hook = 'tools/checks/commit-msg';
  const { git } = await projectWith({ mode: 'shared' }, writes(hook), { [hook]: 'exit 0' });
  git('config', 'core.hooksPath', 'tools/checks');
  const ended = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
  expect(ended.code).toBe(HALTS);
  expect(readFileSync(at.file(hook), 'utf8')).toBe('exit 0');
});

test("no block of a session changes the project's state in git", async () => {
  const [plan, call] = ['.flow/status.md', '.vision/logs/call.json'];
  const { git } = await projectWith({ mode: 'shared' }, writes(plan, call), {});
  writeFileSync(at.file(plan), '- [ ] Task\n');
  git('add', '--force', plan);
  git('commit', '-qm', 'a plan');
  const ended = await at.robosmith('run', 'Main', '--trust', '--json');
  expect(ended.code).toBe(HALTS);
  for (const name of [plan, call]) expect(ended.out).toContain(name);
});

test('no block decides which programs git runs in a submodule', async () => {
  const evil = ['.git/modules/sub/info/attributes', '.git/modules/sub/hooks/pre-commit'];
  const change = `appendFileSync('.git/modules/sub/config', '[filter "x"]\\n\\tclean = touch evil\\n');`;
  const script = `import { appendFileSync } from 'node:fs';${writes(...evil)}\n${change}`;
  const { git } = await projectWith({ mode: 'shared' }, script, {});
  const other = path.join(at.folder, '..', 'other');
  git('init', '-q', other);
  git('-C', other, 'commit', '-q', '--allow-empty', '-m', 'one');
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
  git('commit', '-qm', 'a submodule');
  const ended = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
  expect(ended.code).toBe(HALTS);
  for (const name of [...evil, '.git/modules/sub/config']) expect(ended.out).toContain(name);
  expect(readFileSync(at.file('.git/modules/sub/config'), 'utf8')).not.toContain('filter');
  for (const name of evil) expect(existsSync(at.file(name))).toBe(false);
});

const INIT = `
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
execFileSync('git', ['init', '-q']);
`;

test.each([
  ['as git makes it', '', 0],
  ['with a filter', "appendFileSync('.git/config', '[filter \"x\"]\\n\\tclean = touch evil\\n');", HALTS],
  [
    'with attributes',
    "mkdirSync('.git/info', { recursive: true }); writeFileSync('.git/info/attributes', '* filter=x');",
    HALTS,
  ],
  ['with a hook', "writeFileSync('.git/hooks/pre-commit', 'touch evil');", HALTS],
  ['with the folder of a submodule', "mkdirSync('.git/modules');", HALTS],
])('a block makes a new repository only %s', async (_, more, code) => {
  at = await project({
    '.vision/workflows.json': runsScript({ mode: 'shared' }),
    '.flow/.keep': '',
    'evil.mjs': INIT + more,
  });
  expect((await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json')).code).toBe(code);
  expect(existsSync(at.file('.git'))).toBe(code === 0);
});
