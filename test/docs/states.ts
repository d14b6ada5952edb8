import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandProject, commandProject } from '../declared/a-project.ts';
import { FILES, MANIFEST } from '../declared/states.ts';

/**
 * A manifest with the names that the documents use: the nodes `Main`, `Fix` and `Ask`. A person may reject the work of
 * `Ask`.
 */
const WORKFLOWS = {
  ...MANIFEST,
  nodes: {
    ...MANIFEST.nodes,
    Fix: MANIFEST.nodes.Main,
    Ask: {
      entry_block: 'Person',
      blocks: {
        Person: {
          worker: 'Internal:ManualIntervention',
          on: { SUCCESS: 'JUMP:After', REJECTED: 'JUMP:After', FAIL_DEFAULT: 'HALT_AND_FLAG' },
        },
        After: MANIFEST.nodes.Ask.blocks.After,
      },
    },
  },
};

export interface State {
  readonly at: CommandProject;
  /** The real values of the example ids in the documents. */
  readonly names: Readonly<Record<string, string>>;
}

async function done(at: CommandProject, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await at.robosmith(...args);
  if (code !== 0 && code !== 3) throw new Error(`robosmith ${args.join(' ')} ended with ${code}:\n${out}${err}`);
  return out + err;
}

const RUN = /\br[0-9a-f]{12}\b/;
const SESSION = /\bs[0-9a-f]{8}\b/;
const found = (text: string, what: RegExp): string => what.exec(text)?.[0] ?? '';

function repository(): CommandProject {
  const at = commandProject({
    ...FILES,
    // The file is formatted, so that `robosmith fmt --check` succeeds.
    '.vision/workflows.json': `${JSON.stringify(WORKFLOWS, null, 2)}\n`,
    '.vision/answers.json': { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
    'old.json': { ...WORKFLOWS, nodes: { ...WORKFLOWS.nodes, Fix: MANIFEST.nodes.Fail } },
  });
  at.git('init', '-q', '-b', 'main');
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
  at.git('init', '-q', '--bare', '../origin.git');
  at.git('remote', 'add', 'origin', '../origin.git');
  return at;
}

async function withSession(): Promise<State> {
  const at = repository();
  await done(at, 'registry', 'check', '--trust');
  const session = found(await done(at, 'sessions', 'new', 'Fix the login'), SESSION);
  const shown = JSON.parse((await at.robosmith('sessions', 'show', session, '--json')).out) as {
    readonly session: { readonly worktree: string };
  };
  writeFileSync(join(shown.session.worktree, 'src/b.txt'), 'work\n');
  return { at, names: { s3f2a91c0: session } };
}

/** The project states in which blocks of commands are executed, by name. */
export const STATES = {
  empty: () => Promise.resolve({ at: commandProject({ 'a.txt': '' }), names: {} }),
  /** The project is trusted, and has one run that has ended. */
  project: async () => {
    const at = repository();
    await done(at, 'run', 'Main', '--in', '.', '--trust');
    return { at, names: { r3f2a91: found(await done(at, 'runs', '--json'), RUN) } };
  },
  session: withSession,
  /** A run waits for a person, and there is a session with changes. */
  waiting: async () => {
    const { at, names } = await withSession();
    await done(at, 'run', 'Ask', '--in', '.', '--trust');
    return { at, names: { ...names, r3f2a91: found(await done(at, 'runs', '--json'), RUN) } };
  },
} satisfies Record<string, () => Promise<State>>;

export type StateName = keyof typeof STATES;
