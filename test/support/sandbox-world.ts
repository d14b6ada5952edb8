import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProcesses } from '#io/process/process.ts';
import { findSandboxMaker } from '#io/sandbox/probe.ts';
import { wrapProcess } from '#io/sandbox/wrap-process.ts';
import type { ProcessResult } from '#protocol/services.ts';

/** A home folder with secrets, and a project in it with two worktrees. Each secret contains the word SECRET. */
export interface SandboxWorld {
  readonly home: string;
  readonly project: string;
  /** The worktree that a sandboxed process works in. */
  readonly worktree: string;
  readonly other: string;
  /** Runs a shell script in the worktree. */
  run(script: string, options?: RunOptions): Promise<ProcessResult>;
  /** A fingerprint of everything outside of the worktree. */
  outside(): string;
  remove(): Promise<void>;
}

interface RunOptions {
  readonly sandboxed?: boolean;
  readonly network?: boolean;
  readonly state?: readonly string[];
  readonly settings?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly input?: string;
  readonly folder?: string;
  readonly onOutput?: (text: string) => void;
}

/** Whether this machine can make sandboxes. If it can't, the reason is printed, since the tests are skipped. */
export async function canSandbox(): Promise<boolean> {
  const probe = await findSandboxMaker();
  if (!probe.ok) console.warn(`skipped: ${probe.problem}. ${probe.advice}`);
  return probe.ok && probe.maker === 'bubblewrap';
}

/** Folders of programs that every user of a system shares. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const SECRETS: Readonly<Record<string, string>> = {
  '.ssh/id_ed25519': 'SECRET key\n',
  '.aws/credentials': 'SECRET aws\n',
  '.config/gh/hosts.yml': 'SECRET gh\n',
  '.config/robo-smith/keys.json': 'SECRET robosmith\n',
  '.npmrc': '//registry/:_authToken=SECRET\n',
  '.a-program-nobody-knows/token': 'SECRET unknown\n',
  '.cargo/credentials.toml': 'token = "SECRET"\n',
  '.claude/.credentials.json': 'SECRET claude\n',
  'dotfiles/netrc': 'machine x password SECRET\n',
  'dotfiles/kube/config': 'SECRET kube\n',
};

const FILES: Readonly<Record<string, string>> = {
  'project/src/a.js': 'exports.a = 1;\n',
  'project/package.json': '{"name":"p","version":"1.0.0","scripts":{"test":"node --test"}}\n',
  'project/.gitignore': 'node_modules\n.flow\n',
  'project/.flow/engine.token': 'SECRET host\n',
  'project/.vision/logs/call.json': 'SECRET prompt\n',
  'project/node_modules/dep/index.js': 'module.exports = 42;\n',
  'shared/node_modules/other-dep/index.js': 'module.exports = 43;\n',
  'notes.txt': 'notes\n',
};

const quiet = { stdio: 'pipe' } as const;

function fingerprint(folder: string, left: string): string {
  const hash = createHash('sha256');
  const walk = (at: string): void => {
    for (const name of readdirSync(at).sort()) {
      const place = path.join(at, name);
      if (place === left) continue;
      const found = lstatSync(place);
      hash.update(`${place} ${found.mode} `);
      if (found.isSymbolicLink()) hash.update(readlinkSync(place));
      else if (found.isFile()) hash.update(readFileSync(place));
      if (found.isDirectory()) walk(place);
    }
  };
  walk(folder);
  return hash.digest('hex');
}

export async function sandboxWorld(): Promise<SandboxWorld> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-sandbox-')));
  const home = path.join(root, 'home');
  for (const [name, text] of Object.entries({ ...SECRETS, ...FILES })) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  symlinkSync(path.join(home, 'dotfiles/netrc'), path.join(home, '.netrc'));
  symlinkSync(path.join(home, 'dotfiles/kube'), path.join(home, '.kube'));
  writeFileSync(path.join(home, 'dotfiles/gitconfig'), '[user]\n\tname = A\n\temail = a@example.com\n');
  symlinkSync('dotfiles/gitconfig', path.join(home, '.gitconfig'));
  const project = path.join(home, 'project');
  const [worktree, other] = ['mine', 'other'].map((name) => path.join(home, 'project.worktrees', name));
  if (worktree === undefined || other === undefined) throw new Error('unreachable');
  const env = { ...process.env, HOME: home };
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, env, ...quiet });
  git('init', '-q');
  git('add', '.gitignore', 'src', 'package.json');
  git('commit', '-qm', 'first');
  git('worktree', 'add', '-q', worktree);
  git('worktree', 'add', '-q', other);
  writeFileSync(path.join(other, 'work.txt'), 'SECRET work\n');
  const node = path.dirname(await realpath(process.execPath));
  const environment = { HOME: home, PATH: `${node}:${SYSTEM_PATH}`, LANG: 'C' };
  const processes = createProcesses(undefined, undefined, () => environment, wrapProcess);
  return {
    home,
    project,
    worktree,
    other,
    outside: () => fingerprint(root, worktree),
    run: (
      script,
      { sandboxed = true, network = false, state = [], settings = [], signal, onOutput, ...options } = {},
    ) =>
      processes.run(
        {
          argv: ['sh', '-c', script],
          cwd: worktree,
          graceMs: 500,
          ...options,
          env: { PROJECT: project, OTHER: other, ...options.env },
          ...(sandboxed ? { sandbox: { network, state, settings } } : {}),
        },
        signal ?? new AbortController().signal,
        onOutput,
      ),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
