import { rmSync } from 'node:fs';
import { type CommandProject, commandProject } from './a-project.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const HALT = row('FAIL_DEFAULT', 'HALT_AND_FLAG');
const node = (command: string): readonly string[] => [process.execPath, '-e', command];

/**
 * A manifest of four nodes: `Main` does work, `Ask` waits for a person, `Fail` fails and halts, `Test` runs the
 * project's tests.
 */
export const MANIFEST = {
  version: 1,
  entry: 'Main',
  commands: { test: node('process.exit(0)') },
  workers: {
    'Worker:Work': { kind: 'command', command: node("require('fs').appendFileSync('ran.txt', 'ran\\n')") },
    'Worker:Fail': { kind: 'command', command: node('process.exit(1)') },
  },
  nodes: {
    Main: {
      entry_block: 'Work',
      blocks: {
        Work: { worker: 'Worker:Work', transitions: [row('SUCCESS', 'JUMP:More'), HALT] },
        More: { worker: 'Work', on: { SUCCESS: 'done', FAIL_DEFAULT: 'person' } },
      },
    },
    Ask: {
      entry_block: 'Person',
      blocks: {
        Person: { worker: 'Internal:ManualIntervention', transitions: [row('SUCCESS', 'JUMP:After'), HALT] },
        After: { worker: 'Worker:Work', transitions: [row('SUCCESS', 'RETURN'), HALT] },
      },
    },
    Fail: {
      entry_block: 'Fails',
      blocks: { Fails: { worker: 'Worker:Fail', transitions: [row('SUCCESS', 'RETURN'), HALT] } },
    },
    Test: {
      entry_block: 'Tests',
      blocks: { Tests: { worker: 'Internal:TestRunner', transitions: [row('SUCCESS', 'RETURN'), HALT] } },
    },
  },
};

const MODELLED = {
  ...MANIFEST,
  workers: { 'Worker:Work': { kind: 'ai', provider: 'openai', model: 'gpt-5' } },
  nodes: { Main: MANIFEST.nodes.Main },
};

export const FILES = {
  '.flow/.keep': '',
  '.gitignore': '.flow/\n.vision/logs/\n',
  '.vision/workflows.json': MANIFEST,
  'src/a.txt': 'one\n',
  'ask.txt': 'the request of a file\n',
  'answers.json': { 'Worker:Work': [{ signal: 'SIGNAL:SUCCESS' }] },
  'other.json': { ...MANIFEST, entry: 'Ask', nodes: { ...MANIFEST.nodes, Main: MANIFEST.nodes.Ask } },
  'broken.json': { ...MANIFEST, entry: 'Nowhere' },
  'ops.json': [{ op: 'append', path: 'src/a.txt', content: 'two\n' }],
};

export interface State {
  readonly at: CommandProject;
  /** The values of the placeholders in a command's arguments, such as `{run}`. */
  readonly names: Readonly<Record<string, string>>;
}

const RUN = /\br[0-9a-f]{12}\b/;
const SESSION = /\bs[0-9a-f]{8}\b/;
const found = (text: string, what: RegExp): string => what.exec(text)?.[0] ?? '';

async function mustDo(at: CommandProject, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await at.robosmith(...args);
  if (code !== 0 && code !== 3)
    throw new Error(`robosmith ${args.join(' ')} ended with ${String(code)}:\n${out}${err}`);
  return out + err;
}

const inGit = (files: Readonly<Record<string, unknown>> = {}): CommandProject => {
  const at = commandProject({ ...FILES, ...files });
  at.git('init', '-q', '-b', 'main');
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
  return at;
};

const withSession = async () => {
  const at = inGit();
  const session = found(await mustDo(at, 'sessions', 'new', 'One'), SESSION);
  const worktree = JSON.parse((await at.robosmith('sessions', 'show', session, '--json')).out) as {
    readonly session: { readonly worktree: string };
  };
  at.writeAt(worktree.session.worktree, 'src/b.txt', 'work\n');
  return { at, names: { session } };
};

/** States that are created without another state as their basis. */
const BASE = {
  empty: () => Promise.resolve({ at: commandProject({ 'a.txt': '' }), names: {} }),
  plain: () => Promise.resolve({ at: commandProject(FILES), names: {} }),
  repository: () => Promise.resolve({ at: inGit(), names: {} }),
  trusted: async () => {
    const at = commandProject(FILES);
    const run = found(await mustDo(at, 'run', 'Main', '--in', '.', '--trust'), RUN);
    return { at, names: { run: run === '' ? found(await mustDo(at, 'runs', '--json'), RUN) : run } };
  },
  halted: async () => {
    const at = commandProject(FILES);
    await mustDo(at, 'run', 'Ask', '--in', '.', '--trust');
    return { at, names: { run: found(await mustDo(at, 'runs', '--json'), RUN) } };
  },
  failed: async () => {
    const at = commandProject(FILES);
    await mustDo(at, 'run', 'Fail', '--in', '.', '--trust');
    return { at, names: { run: found(await mustDo(at, 'runs', '--json'), RUN) } };
  },
  planned: async () => {
    const at = commandProject(FILES);
    await mustDo(at, 'run', 'Main', '--in', '.', '--trust');
    await mustDo(at, 'tasks', 'add', 'First', '--node', 'Main');
    await mustDo(at, 'tasks', 'add', 'Second', '--node', 'Main');
    return { at, names: {} };
  },
  session: withSession,
  behind: async () => {
    const { at, names } = await withSession();
    at.write('src/c.txt', 'meanwhile\n');
    at.git('add', '-A');
    at.git('commit', '-qm', 'two');
    return { at, names };
  },
  clash: async () => {
    const { at, names } = await withSession();
    at.write('src/b.txt', 'of the base\n');
    at.git('add', '-A');
    at.git('commit', '-qm', 'two');
    return { at, names };
  },
  /** The project has a worker module in its registry that the user has not trusted. */
  module: () =>
    Promise.resolve({
      at: commandProject({
        ...FILES,
        '.flow/flow.registry.json': { own: './own.mjs#Own' },
        'own.mjs': 'export const Own = {};',
      }),
      names: {},
    }),
  /** A block has requested a model for which there is no key. */
  modelled: async () => {
    const at = commandProject({ ...FILES, '.vision/workflows.json': MODELLED });
    await mustDo(at, 'run', 'Main', '--in', '.', '--trust');
    return { at, names: {} };
  },
  /** The project is a trusted repository with one run. */
  begun: async () => {
    const at = inGit();
    await mustDo(at, 'run', 'Main', '--in', '.', '--trust');
    return { at, names: {} };
  },
};

/**
 * The project states in which commands are executed, by name. Each is created once and restored before each command.
 */
export const STATES = {
  ...BASE,
  /** The run has halted, and then the manifest was changed. */
  changed: async () => {
    const { at, names } = await BASE.halted();
    at.write('.vision/workflows.json', { ...MANIFEST, 'x-changed': 1, max_steps: 7 });
    return { at, names };
  },
  /** The project was moved after a run halted, so it is not trusted at its new path. */
  untrusted: async () => {
    const { at, names } = await BASE.halted();
    at.forgetTrust();
    return { at, names };
  },
  forgotten: async () => {
    const { at, names } = await BASE.trusted();
    at.forgetTrust();
    return { at, names };
  },
  unasked: async () => {
    const { at, names } = await BASE.planned();
    at.forgetTrust();
    return { at, names };
  },
  /** Another program than RoboSmith has changed the work plan. */
  edited: async () => {
    const { at, names } = await BASE.planned();
    at.write('.flow/status.md', at.read('.flow/status.md').replace('First', 'Changed'));
    return { at, names };
  },
  /** The worktree of a session was deleted without git. */
  lost: async () => {
    const { at, names } = await withSession();
    const shown = await at.robosmith('sessions', 'show', names.session, '--json');
    const { session } = JSON.parse(shown.out) as { readonly session: { readonly worktree: string } };
    rmSync(session.worktree, { recursive: true });
    return { at, names };
  },
  /** The base of a session has another name. */
  renamed: async () => {
    const { at, names } = await withSession();
    at.git('branch', '-m', 'main', 'trunk');
    return { at, names };
  },
  /** The second session waits for the first. */
  stacked: async () => {
    const { at, names } = await withSession();
    const second = found(await mustDo(at, 'sessions', 'new', 'Two', '--after', names.session), SESSION);
    return { at, names: { ...names, second } };
  },
  /** The registry of workers is not an object. */
  misregistered: () => Promise.resolve({ at: commandProject({ ...FILES, '.flow/flow.registry.json': [] }), names: {} }),
  discarded: async () => {
    const { at, names } = await withSession();
    await mustDo(at, 'sessions', 'discard', names.session, '--force');
    return { at, names };
  },
  /** A command of the manifest sets up each worktree. */
  setUp: () => {
    const setup = [node("require('fs').writeFileSync('set-up.txt', '')")];
    return Promise.resolve({
      at: inGit({ '.vision/workflows.json': { ...MANIFEST, worktree: { setup } } }),
      names: {},
    });
  },
} satisfies Record<string, () => Promise<State>>;

export type StateName = keyof typeof STATES;
