import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';
import { newRepository, type Repository } from '../../support/git-repository.ts';
import { standIn } from '../../support/stand-in-program.ts';

let repository: Repository;
beforeEach(async () => {
  repository = await newRepository();
});
afterEach(() => repository.end());

/** Runs a command with only these agents and keys. */
async function robosmith(
  words: readonly string[],
  agents: readonly string[] = [],
  keys: object = {},
  cwd = repository.root,
) {
  const programs = repository.at('programs');
  mkdirSync(programs, { recursive: true });
  for (const name of agents) standIn(programs, name, 'exit 1');
  const env = { PATH: programs, ROBOSMITH_CONFIG_DIR: repository.at('config'), ...keys };
  const io = fakeIo({ cwd, env });
  const code = await main(words, io);
  return { code, out: io.out(), err: io.err() };
}

const PRIVATE = /\b(?:overlap|health|node|block|signal|semantic)s?\b/i;

describe('the help', () => {
  test('shows at most 12 commands on one screen, and all of them exist', async () => {
    const { out } = await robosmith(['--help']);
    const lines = out.trimEnd().split('\n');
    const commands = lines.flatMap((line) => /^ {2}([a-z]+)/.exec(line)?.[1] ?? []);
    expect(lines.length).toBeLessThanOrEqual(26);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(commands.length).toBeLessThanOrEqual(12);
    expect(commands.slice(0, 2)).toEqual(['do', 'clash']);
    for (const command of commands)
      expect((await robosmith([command, '--help'])).out).toContain(`robosmith ${command}`);
  });

  test('"help all" has every command, and says nothing in private words about the first ones', async () => {
    const all = (await robosmith(['help', 'all'])).out;
    for (const command of ['simulate', 'calls', 'worktrees', 'registry', 'do', 'clash'])
      expect(all).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    for (const words of [['--help'], ['do', '--help'], ['clash', '--help']])
      expect((await robosmith(words)).out).not.toMatch(PRIVATE);
  });
});

describe('who does the work', () => {
  const shown = async (...given: Parameters<typeof robosmith>) => {
    const { out, err, code } = await robosmith(...given);
    return code === 0 ? (/"Worker:Agent": (.*)/.exec(out)?.[1] ?? '') : err;
  };

  test('is the first installed agent, the named one, a command, or a model with a key', async () => {
    const show = ['do', '--show'];
    expect(await shown(show, ['codex', 'gemini'])).toContain('"preset": "codex"');
    expect(await shown([...show, '--agent', 'gemini', '--model', 'm'])).toContain(
      '"preset": "gemini", "approvals": "edit", "model": "m"',
    );
    expect(await shown([...show, '--agent', 'node "my agent.mjs"'])).toContain('"command": ["node", "my agent.mjs"]');
    const key = { OPENAI_API_KEY: 'sk-of-a-test-that-asks-nobody' };
    expect(await shown([...show, '--agent', 'openai', '--model', 'gpt'], [], key)).toContain(
      '"kind": "ai", "provider": "openai", "model": "gpt", "mode": "loom"',
    );
    expect(await shown([...show, '--agent', 'openai'], [], key)).toContain('--model');
  });

  test('is said to be missing in one error', async () => {
    const { code, err } = await robosmith(['do', 'A task', '--yes']);
    expect(code).toBe(2);
    expect(err).toContain('No coding agent is installed (claude, codex, gemini), and you have no key for a model.');
    expect(err).toContain('npm install --global @anthropic-ai/claude-code');
    expect(await shown(['do', '--show', '--agent', 'cluade'])).toContain('claude');
  });
});

describe('a flag', () => {
  test.each([
    [['--budget', '2'], 'codex, which takes no limit'],
    [['--budget', 'much'], 'not "much"'],
    [['--review', '4'], 'from 1 to 3'],
    [['--check', ' '], '--check needs a command'],
    [['--best-of', '6'], 'from 2 to 5'],
  ])('%j without an effect is refused', async (flags, why) => {
    const { code, err } = await robosmith(['do', 'A task', '--yes', ...flags], ['codex']);
    expect(code).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(why);
  });
});

describe('the check', () => {
  const checkOf = async (...flags: readonly string[]) =>
    /^ {4}"test": (\[.*\])/m.exec((await robosmith(['do', '--show', ...flags], ['claude'])).out)?.[1] ?? null;

  test('is typed, or that of the manifest, or that of the project', async () => {
    expect(await checkOf()).toBeNull();
    repository.put('Makefile', 'test:\n\ttrue\n');
    expect(await checkOf()).toBe('["make", "test"]');
    const workers = { 'Worker:A': { kind: 'agent', preset: 'claude' } };
    const blocks = { Ask: { worker: 'Worker:A', on: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } } };
    const manifest = {
      version: 1,
      commands: { test: ['npm', 'run', 'own'] },
      workers,
      nodes: { Main: { entry_block: 'Ask', blocks } },
    };
    repository.put('.vision/workflows.json', JSON.stringify(manifest));
    expect(await checkOf()).toBe('["npm", "run", "own"]');
    expect(await checkOf('--check', "pytest 'my tests' -q")).toBe('["pytest", "my tests", "-q"]');
    expect(await checkOf('--check', 'a && b')).toBe('["sh", "-c", "a && b"]');
    expect(await checkOf('--check', 'CI=1 a')).toBe('["sh", "-c", "CI=1 a"]');
  });
});

test('outside of git it says what to do', async () => {
  const folder = repository.at('elsewhere');
  mkdirSync(folder);
  const { code, err } = await robosmith(['do', 'A task', '--yes'], ['claude'], {}, folder);
  expect([code, err.includes('git init')]).toEqual([2, true]);
});
