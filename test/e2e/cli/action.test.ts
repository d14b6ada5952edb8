import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runAction } from '../../support/local-runner.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';
import { standIn, type StandIn } from '../../support/stand-in-program.ts';
import { type Project, PROGRAM, project, to } from './robosmith.ts';

const ACTION = fileURLToPath(new URL('../../../action.yml', import.meta.url));

const MANIFEST = {
  version: 1,
  entry: 'Say',
  workers: { 'Worker:Say': { kind: 'command', command: ['node', 'say.mjs'] } },
  nodes: {
    Say: { entry_block: 'A', blocks: { A: { worker: 'Worker:Say', transitions: [to('SUCCESS', 'RETURN')] } } },
  },
};

const ISSUE = { number: 12, title: 'Login fails', body: 'No.', url: '', author: { login: 'ann' }, comments: [] };

let base = '';
let at: Project;
let npm: StandIn;
let gh: StandIn;

async function prepare(say: string): Promise<void> {
  at = await project({ '.vision/workflows.json': MANIFEST, '.gitignore': '.flow/\n.vision/logs/\n', 'say.mjs': say });
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: at.folder, encoding: 'utf8' });
  mkdirSync(at.file('.flow'));
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.org');
  git('remote', 'add', 'origin', 'git@github.com:o/r.git');
  git('add', '-A');
  git('commit', '-qm', 'one');
}

beforeEach(async () => {
  base = await newFolder();
  const bin = path.join(base, 'bin');
  npm = standIn(bin, 'npm', 'exit 0');
  gh = standIn(
    bin,
    'gh',
    `case "$1 $2" in
"issue view") cat <<'END'\n${JSON.stringify(ISSUE)}\nEND\n;;
"issue comment") cat "$5" > '${base}/comment.md';;
*) exit 1;;
esac`,
  );
  standIn(bin, 'robosmith', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
});
afterEach(async () => {
  await at.robosmith('host', 'stop', '--force');
  await at.remove();
  await removeFolder(base);
});

const act = (given: Readonly<Record<string, string>>) => {
  const { PATH = '' } = process.env;
  const env = {
    PATH: [path.join(base, 'bin'), path.dirname(process.execPath), PATH].join(':'),
    HOME: base,
    XDG_CONFIG_HOME: path.join(base, 'config'),
  };
  return runAction(ACTION, given, { folder: at.folder, temp: path.join(base, 'temp'), env });
};

const comment = (): string => readFileSync(path.join(base, 'comment.md'), 'utf8');

test('the action installs, runs the issue, and comments that it is done', async () => {
  await prepare('');
  const { failed, outputs, summary, log } = act({ issue: '12', trust: 'true', package: 'robo-smith@0.1.0' });
  expect([failed, log]).toEqual([null, expect.any(String)]);
  expect(outputs).toEqual({ 'exit-code': '0', 'pull-request-url': '' });
  expect(npm.calls()).toEqual([['install', '--global', '--no-audit', '--no-fund', '--', 'robo-smith@0.1.0']]);
  expect(gh.calls().map((call) => call.slice(0, 3))).toEqual([
    ['issue', 'view', '12'],
    ['issue', 'comment', '12'],
  ]);
  expect(comment()).toBe('The RoboSmith run is done (exit code 0).\n');
  expect(summary).toBe(comment());
});

test('without trust nothing is run, and the comment says so', async () => {
  await prepare('');
  const { failed, outputs } = act({ issue: '12' });
  expect([failed, outputs['exit-code']]).toEqual(['Exit code', '2']);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(npm.calls()[0]?.at(-1)).toBe(`robo-smith@${version}`);
  expect(comment()).toBe(
    'The RoboSmith run was not started (exit code 2).\n\nThis project runs commands or calls models, and it is not trusted yet; nothing was run.\n',
  );
});

test('a run that fails fails the job; no text becomes a flag or a command', async () => {
  await prepare('process.exit(1);');
  const { failed, outputs } = act({
    node: 'Say',
    input: '--help $(id) `id`',
    trust: 'true',
    issue: '12',
    comment: 'false',
  });
  expect([failed, outputs['exit-code']]).toEqual(['Exit code', '1']);
  expect(gh.calls().map((call) => call[1])).toEqual(['view']);
});
