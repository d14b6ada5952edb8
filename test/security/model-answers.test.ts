import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Response } from '../../src/protocol/response.ts';
import { type Project, project, to } from '../e2e/cli/robosmith.ts';

let here: Project;
afterEach(() => here.remove());

const fenced = (name: string, text: string): string => `Here it is:\n\n\`\`\`json ${name}\n${text}\n\`\`\`\n`;

/** Builds a manifest in which a model's answer contains a file, and a writer with the given access writes it. */
const manifest = (access: object) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Model': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'Ask',
      blocks: {
        Ask: { worker: 'Worker:Model', transitions: [to('SUCCESS', 'JUMP:Write')] },
        Write: {
          worker: 'Internal:FileSystemWriter',
          access,
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
});

const HALTED = 3;
const DONE = 0;

/** Creates a project in which an answer names this file. */
async function prepared(name: string, access: object): Promise<void> {
  const answer = {
    signal: 'SIGNAL:SUCCESS',
    append: [{ type: 'CODE_OUTPUT', content: fenced(name, '{"hooks": {}}') }],
  };
  here = await project({
    '.vision/workflows.json': manifest(access),
    '.flow/.keep': '',
    '.vision/answers.json': { 'Worker:Model': [answer] },
  });
}

const answered = async (name: string, access: object): Promise<number | null> => {
  await prepared(name, access);
  return (await here.robosmith('run', 'Main', '--in', '.', '--json')).code;
};

test.each([
  '.claude/settings.json',
  '.mcp.json',
  '.npmrc',
  '.github/workflows/ci.yml',
  'sub/AGENTS.md',
  '.robo/session.json',
])('an answer does not configure what is started next: %s', async (name) => {
  expect(await answered(name, { mode: 'shared' })).toBe(3);
  expect(existsSync(here.file(name))).toBe(false);
});

test.each([
  [{ mode: 'shared' }, HALTED],
  [{ mode: 'partial', paths: ['tools/checks/*'] }, DONE],
])('an answer writes no hook of git where %j, unless the folder is named', async (access, code) => {
  const name = 'tools/checks/commit-msg';
  await prepared(name, access);
  execFileSync('git', ['init', '-q'], { cwd: here.folder });
  execFileSync('git', ['config', 'core.hooksPath', 'tools/checks'], { cwd: here.folder });
  expect((await here.robosmith('run', 'Main', '--in', '.', '--json')).code).toBe(code);
  expect(existsSync(here.file(name))).toBe(code === DONE);
});

test('it may where the manifest says so by name', async () => {
  expect(await answered('.github/workflows/ci.yml', { mode: 'partial', paths: ['.github/workflows/*.yml'] })).toBe(0);
  expect(readFileSync(here.file('.github/workflows/ci.yml'), 'utf8')).toContain('hooks');
});

test('a file that a trusted module imports asks again when it has changed', async () => {
  const worker = `import { text } from './part.mjs';
    export const W = { sideEffects: 'none', execute: async () => ({ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: text }] }) };`;
  here = await project({
    '.vision/workflows.json': {
      version: 1,
      entry: 'Main',
      nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'own', transitions: [to('SUCCESS', 'RETURN')] } } } },
    },
    '.flow/flow.registry.json': { own: './w.mjs#W' },
    'w.mjs': worker,
    'part.mjs': 'export const text = "one";',
  });
  const run = ['run', 'Main', '--in', '.', '--json'] as const;
  expect((await here.robosmith(...run, '--trust')).code).toBe(0);
  expect((await here.robosmith(...run)).code).toBe(0);
  writeFileSync(here.file('part.mjs'), 'export const text = "two";');
  const asked = await here.robosmith(...run);
  expect((JSON.parse(asked.out) as Response).reason).toBe('not_trusted');
  expect(asked.err).toContain('./w.mjs#W with 1 file that it reaches');
});
