import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '#protocol/message-of.ts';
import { after } from '../../clock/long-timeout.ts';
import type { GitAnswer } from '../plumbing/git.ts';

/** One git process to start. */
export interface GitCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
}

interface GitShells {
  run(call: GitCall): Promise<GitAnswer>;
  close(): void;
}

/** The number of shells, and with it of git processes at the same time. */
const AT_ONCE = 2;

/** The maximum output of one git process in bytes. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Matches the names of variables that a shell can set. */
const VARIABLE = /^[A-Za-z_]\w*$/;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

interface Job extends GitCall {
  readonly id: number;
  readonly done: (answer: GitAnswer) => void;
}

interface Shell {
  child: ChildProcess | null;
  job: Job | null;
  ended: (code: number | null, why: string) => void;
}

/**
 * Creates shells that start git. A shell starts a process many times faster than Node, whose own process has to be
 * copied for each start. Input and output go through files of `folder`.
 */
export function createGitShells(folder: string): GitShells {
  const waiting: Job[] = [];
  const shells: Shell[] = Array.from({ length: AT_ONCE }, () => ({ child: null, job: null, ended: () => undefined }));
  let nextId = 0;
  let isClosed = false;

  const fileOf = (job: Job, kind: 'in' | 'out' | 'err'): string => path.join(folder, `call-${job.id}.${kind}`);

  /** Returns the shell's process, starting it if necessary. */
  const started = (shell: Shell): ChildProcess => {
    if (shell.child !== null) return shell.child;
    const child = spawn('/bin/sh', [], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    const over = (why: string): void => {
      if (shell.child === child) shell.child = null;
      shell.ended(null, why);
    };
    child.on('error', (error) => over(messageOf(error)));
    child.on('exit', () => over('git was stopped'));
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => shell.ended(Number(line), ''));
    shell.child = child;
    return child;
  };

  /** Ends a shell together with the git process that it has started. */
  const kill = ({ child }: Shell): void => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };

  const execute = async (shell: Shell, job: Job): Promise<GitAnswer> => {
    const [input, out, err] = [fileOf(job, 'in'), fileOf(job, 'out'), fileOf(job, 'err')];
    if (job.input !== '') await writeFile(input, job.input);
    const ended = Promise.withResolvers<readonly [number | null, string]>();
    let why = '';
    shell.ended = (code, reason) => ended.resolve([code, why === '' ? reason : why]);
    const variables = Object.entries(job.env).filter(([name]) => VARIABLE.test(name));
    const exports = variables.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
    const command = `export ${exports} && exec ${[job.file, ...job.args].map(quoted).join(' ')}`;
    const source = job.input === '' ? '/dev/null' : quoted(input);
    const line = `(cd ${quoted(job.cwd)} && ${command}) <${source} >${quoted(out)} 2>${quoted(err)}; echo $?\n`;
    const noLimit = after(job.timeoutMs, () => {
      why = `git took longer than ${job.timeoutMs / 1000} s and was stopped`;
      kill(shell);
    });
    started(shell).stdin?.write(line);
    const [code, reason] = await ended.promise;
    noLimit();
    const bytes = await readFile(out).catch(() => Buffer.alloc(0));
    const isWhole = bytes.length <= MOST_BYTES;
    const said = code === 0 ? '' : (await readFile(err, 'utf8').catch(() => '')).slice(-20_000);
    for (const file of [input, out, err]) void rm(file, { force: true }).catch(() => undefined);
    const complaint = isWhole ? `${said}${reason}` : 'git printed too much';
    return { ok: code === 0 && isWhole, code, out: isWhole ? bytes.toString('utf8') : '', err: complaint.trimEnd() };
  };

  const next = (): void => {
    const shell = shells.find(({ job }) => job === null);
    const job = shell === undefined ? undefined : waiting.shift();
    if (shell === undefined || job === undefined) return;
    shell.job = job;
    void execute(shell, job)
      .catch((error: unknown): GitAnswer => ({ ok: false, code: null, out: '', err: messageOf(error) }))
      .then((answer) => {
        shell.job = null;
        job.done(answer);
        next();
      });
  };

  return {
    run: (call) =>
      new Promise((done) => {
        if (isClosed) return done({ ok: false, code: null, out: '', err: 'git was stopped' });
        nextId += 1;
        waiting.push({ ...call, id: nextId, done });
        next();
      }),
    close: () => {
      isClosed = true;
      for (const job of waiting.splice(0)) job.done({ ok: false, code: null, out: '', err: 'git was stopped' });
      for (const shell of shells) kill(shell);
    },
  };
}
