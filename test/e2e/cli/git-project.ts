import { execFileSync } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';
import type { Session } from '#protocol/session.ts';
import { durableProject, type DurableProject } from './durable.ts';

export interface GitProject extends DurableProject {
  /** Returns git's trimmed output; git runs in the project unless another folder is given. */
  git(args: readonly string[], place?: string): string;
  /** Creates a session for work by hand and returns its initial state. */
  session(title: string, ...more: readonly string[]): Promise<Session & { readonly worktree: string }>;
  /** Returns the document that a command prints with `--json`. */
  json<Document>(...args: readonly string[]): Promise<Document>;
}

/** Creates a project in a repository with one commit on `main`. */
export async function gitProject(files: Readonly<Record<string, unknown>> = {}): Promise<GitProject> {
  const at = await durableProject({ '.gitignore': '.flow/\nran\n', ...files });
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (args: readonly string[], place = at.folder): string =>
    execFileSync('git', args, { cwd: place, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  git(['init', '--quiet', '--initial-branch=main']);
  git(['config', 'user.name', 'Ada']);
  git(['config', 'user.email', 'ada@example.invalid']);
  git(['add', '--all']);
  git(['commit', '--quiet', '--message=First']);
  const json = async <Document>(...args: readonly string[]): Promise<Document> => {
    const { out, err } = await at.robosmith(...args, '--json');
    if (out === '') throw new Error(`robosmith ${args.join(' ')} printed nothing:\n${err}`);
    return JSON.parse(out) as Document;
  };
  return {
    ...at,
    git,
    json,
    session: async (title, ...more) => {
      const { session } = await json<{ readonly session: Session }>('sessions', 'new', title, ...more);
      return { ...session, worktree: session.worktree ?? path.join(at.folder, 'none') };
    },
  };
}
