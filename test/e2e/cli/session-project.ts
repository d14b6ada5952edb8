import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Session, SessionView } from '#protocol/session.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';
import { until } from '../../support/until.ts';

/**
 * A program that does the work of a session: it waits up to 40 seconds for the file `gate` next to the project, and
 * appends a line to src/a.txt.
 */
const WORK = `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
for (let tries = 0; tries < 2000 && !existsSync('../../gate'); tries += 1) await setTimeout(20);
appendFileSync('src/a.txt', 'by ' + process.env.ROBOSMITH_WORKTREE.split(/[\\\\/]/).at(-1).split('-')[0] + '\\n');
`;

export const MANIFEST = {
  version: 1,
  entry: 'Fix',
  workers: { 'Worker:Edit': { kind: 'command', command: ['node', 'work.mjs'] } },
  nodes: {
    Fix: {
      entry_block: 'Edit',
      blocks: {
        Edit: {
          worker: 'Worker:Edit',
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
};

/** The same manifest with a gate: the block is executed only after a person has confirmed it. */
export const GATED = {
  ...MANIFEST,
  nodes: { Fix: { ...MANIFEST.nodes.Fix, blocks: { Edit: { ...MANIFEST.nodes.Fix.blocks.Edit, gate: true } } } },
};

export type Listed = SessionView;

export interface SessionProject extends Project {
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Creates the file `gate` that the work of all sessions waits for. */
  openGate(): void;
  sessions(): Promise<readonly Listed[]>;
  session(title: string): Promise<Session>;
  /** Waits until the session with this title is in one of these states. */
  untilState(title: string, ...states: readonly Session['state'][]): Promise<Session>;
}

/** Creates a git repository whose sessions wait for the file `gate`. Removing the repository ends its host. */
export async function sessionProject(
  manifest: object = MANIFEST,
  env: Readonly<Record<string, string>> = {},
): Promise<SessionProject> {
  const at = await project({
    '.vision/workflows.json': manifest,
    '.gitignore': '.flow/\n.vision/logs/\n',
    'src/a.txt': 'one\n',
    'work.mjs': WORK,
    '.flow/flow.registry.json': {},
  });
  const gitIn = (folder: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const git = (...args: readonly string[]): string => gitIn(at.folder, ...args);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.org');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const robosmith = (...args: readonly string[]): Promise<Ended> => ended(start(args, at.folder, env));
  const sessions = async (): Promise<readonly Listed[]> => {
    const { out } = await robosmith('sessions', '--json');
    return (JSON.parse(out) as { readonly sessions: readonly Listed[] }).sessions;
  };
  const session = async (title: string): Promise<Session> => {
    const found = (await sessions()).find((one) => one.session.title === title);
    if (found === undefined) throw new Error(`there is no session ${title}`);
    return found.session;
  };
  return {
    ...at,
    robosmith,
    git,
    gitIn,
    sessions,
    session,
    write: (name, text) => writeFileSync(at.file(name), text),
    read: (name) => readFileSync(at.file(name), 'utf8'),
    openGate: () => writeFileSync(path.join(at.folder, '..', 'gate'), ''),
    untilState: async (title, ...states) => {
      await until(async () => states.includes((await session(title)).state), `${title} as ${states.join(', ')}`);
      return session(title);
    },
    remove: async () => {
      await robosmith('host', 'stop', '--force');
      await at.remove();
    },
  };
}
