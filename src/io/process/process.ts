import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from 'execa';
import type { Environment } from '#protocol/environment.ts';
import type { ProcessRegister, RegisteredProcess } from '#protocol/process-identity.ts';
import type { SandboxRequest } from '#protocol/sandbox.ts';
import type { Processes, ProcessRequest, ProcessResult } from '#protocol/services.ts';
import { after } from '../clock/long-timeout.ts';
import { allowedEnvironment, withDefaults } from './environment.ts';
import { createExcerpt } from './excerpt.ts';
import { findProgram, noCurrentFolder, type SearchEnvironment, searchEnvironment } from './find-program.ts';
import { newId } from '../clock/identity.ts';
import { createStartQueue } from './start-queue.ts';
import { endTree, type ProcessTree, trackTree } from './process-group.ts';
import { markVariable } from './process-mark.ts';
import { withReportFolder } from './report-folder.ts';
import { safePath } from '../files/safe-path.ts';
import { nextTurn } from '../clock/turn-budget.ts';

const isPath = (program: string): boolean => /[/\\]/.test(program);

/** Turns the system's error code, for example `ENOENT`, into a message. */
function whyNotStarted(code: string | undefined, program: string): string {
  switch (code) {
    case 'ENOENT':
      return isPath(program) ? `there is no program \`${program}\`` : `there is no program \`${program}\` on the PATH`;
    case 'EACCES':
    case 'EPERM':
      return `you have no permission to execute \`${program}\``;
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return 'the arguments are longer than this system allows';
    default:
      return code ?? 'unknown reason';
  }
}

const noFolder = (folder: string): string => `the folder ${folder} does not exist`;

/** The number of characters kept of a process's output, from both ends. */
const OUTPUT_LIMIT = 1_000_000;

/** Milliseconds after which a process that ignores SIGTERM is killed. */
const GRACE_MS = 5_000;

/** The time in milliseconds after which remaining descendants are killed once a process has ended by itself. */
const LEFTOVER_GRACE_MS = 1_000;

/**
 * The time in milliseconds to wait for the end of the output after the process has ended. A descendant may keep the
 * pipes open, but all output of the process itself has arrived by then.
 */
const DRAIN_MS = 200;

const ON_WINDOWS = process.platform === 'win32';

/** Loads execa when the first process is started, so that commands that start no process begin faster. */
const loadExeca = () => import('execa');

const environmentOf = (
  { env, envNames, envDefaults }: ProcessRequest,
  mark: string,
  parent: Environment,
): Readonly<Record<string, string>> => ({
  ...withDefaults(allowedEnvironment(parent, envNames ?? [], process.platform), envDefaults ?? {}),
  ...env,
  ...noCurrentFolder(process.platform),
  ...markVariable(mark, process.env),
});

const optionsFor = (
  { input, shell, stderr }: ProcessRequest,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Options => ({
  cwd,
  shell: ON_WINDOWS && shell === true,
  extendEnv: false,
  env,
  all: stderr !== 'apart',
  buffer: false,
  reject: false,
  detached: !ON_WINDOWS,
  cleanup: false,
  windowsHide: true,
  stripFinalNewline: false,
  ...(stderr === 'ignored' ? { stderr: 'ignore' as const } : {}),
  ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
});

/** Returns the folder that the process runs in, or null if it doesn't exist. */
async function placeOf({ cwd, folder }: ProcessRequest): Promise<string | null> {
  const isHere = folder === undefined || folder === '.' || folder === './';
  const place = isHere ? cwd : await safePath(cwd, folder);
  const found = await stat(place).catch(() => null);
  return found?.isDirectory() === true ? place : null;
}

/** Removes secrets from one output stream of text in which each character is a byte. */
interface OutputRedactor {
  /** Takes the next part of the stream and returns the text that can already be shown. */
  next(part: string): string;
  /** Returns the text that was held back, at the end of the stream. */
  rest(): string;
}

/** Returns a function that creates a redactor for one output of a process, or null if there is nothing to hide. */
export type RedactOutput = (request: ProcessRequest) => (() => OutputRedactor) | null;

type Launch =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly error: string; readonly isMissing?: boolean };

/**
 * Shell arguments that send both streams into one pipe, which keeps their order; `exec` replaces the shell with the
 * program.
 */
const ONE_PIPE = ['-c', 'exec "$@" 2>&1', 'sh'] as const;

const STDOUT_ONLY = ['-c', 'exec "$@" 2>/dev/null', 'sh'] as const;

/**
 * Returns the program and arguments to start. On Windows the two streams use separate pipes, so their order is lost.
 */
async function launch(
  request: ProcessRequest,
  cwd: string,
  env: Readonly<Record<string, string>>,
  wrap: WrapProcess,
): Promise<Launch> {
  const { argv, stderr, sandbox } = request;
  if (argv.some((part) => part.includes('\0'))) return { error: 'an argument contains a NUL character' };
  const bare = await bareLaunch(request, cwd, searchEnvironment(env, process.platform));
  if ('error' in bare) return bare;
  const place = { root: request.cwd, folder: cwd, environment: env };
  const wrapped = sandbox === undefined ? bare : await wrap({ ...bare, ...place, sandbox });
  if ('error' in wrapped || ON_WINDOWS || stderr === 'apart') return wrapped;
  return { file: '/bin/sh', args: [...(stderr === undefined ? ONE_PIPE : STDOUT_ONLY), wrapped.file, ...wrapped.args] };
}

/** Returns the program and arguments before they are wrapped. */
async function bareLaunch(
  { argv: [program, ...args], shell }: ProcessRequest,
  cwd: string,
  environment: SearchEnvironment,
): Promise<Launch> {
  if (shell === true) return ON_WINDOWS ? { file: program, args } : { file: '/bin/sh', args: ['-c', program] };
  const found = await findProgram(program, cwd, environment);
  if ('error' in found) return { error: whyNotStarted(found.error, program), isMissing: found.error === 'ENOENT' };
  return { file: found.file, args };
}

/** A process that has to be started in a sandbox. */
export interface UnwrappedProcess {
  readonly file: string;
  readonly args: readonly string[];
  /** The worktree. */
  readonly root: string;
  /** The working folder. */
  readonly folder: string;
  /** The environment of the process. */
  readonly environment: Environment;
  readonly sandbox: SandboxRequest;
}

/** Returns the program and arguments that run a process in a sandbox, or the reason why there is none. */
export type WrapProcess = (process: UnwrappedProcess) => Promise<Launch>;

const NO_SANDBOX: WrapProcess = () => Promise.resolve({ error: 'there is no sandbox for it' });

const unstarted = (ended: 'not_started' | 'killed', error: string | null, isMissing = false): ProcessResult => ({
  exitCode: null,
  output: '',
  durationMs: 0,
  ended,
  error,
  ...(isMissing ? { isMissing } : {}),
});

type Ended = ProcessResult['ended'];

/** Waits for the end of the output, but at most `DRAIN_MS`, because a descendant may hold the pipe open. */
async function drain(all: Readable): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([finished(all, { signal }), sleep(DRAIN_MS, undefined, { signal })]).catch(() => undefined);
  done.abort();
  // After the event loop was blocked, the timer fires before buffered output is read. Waiting for another turn lets
  // that output be read.
  await new Promise((resolve) => setImmediate(resolve));
}

interface Ending {
  /** Why we ended the process, or null if it ended by itself. */
  why: Ended | null;
  /** Settles when the process tree has ended; null if we did not end it. */
  done: Promise<void> | null;
}

/** Waits until the process ends by itself, by abort or by its time limit. */
async function untilEnded(
  tree: ProcessTree,
  exit: Promise<unknown>,
  { timeoutMs, graceMs }: ProcessRequest,
  signal: AbortSignal,
): Promise<Ending> {
  const stopped = Promise.withResolvers<unknown>();
  const ending: Ending = { why: null, done: null };
  const stop = (why: Ended): void => {
    if (ending.why !== null) return;
    ending.why = why;
    ending.done = endTree(tree, graceMs ?? GRACE_MS, { isWhole: true, ageMs: 0 });
    stopped.resolve(ending.done);
  };
  const onAbort = () => stop('killed');
  signal.addEventListener('abort', onAbort, { once: true });
  const noLimit = timeoutMs === undefined ? () => undefined : after(timeoutMs, () => stop('timed_out'));
  await Promise.race([exit, stopped.promise]);
  noLimit();
  signal.removeEventListener('abort', onAbort);
  return ending;
}

/**
 * Decodes output to text: invalid UTF-8 becomes U+FFFD, and a character may be split over two chunks. Returns a
 * function that flushes the rest.
 */
function listen(
  all: Readable,
  redact: OutputRedactor | null,
  onText: (text: string) => void,
  onBytes?: (bytes: Uint8Array) => void,
): () => void {
  const decoder = new StringDecoder('utf8');
  const take = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    onBytes?.(bytes);
    onText(decoder.write(bytes));
  };
  // In latin1 each byte is one character. Secrets are ASCII, so that redaction changes no other bytes.
  const clean = (text: string): Buffer => Buffer.from(text, 'latin1');
  all.on('data', (bytes: Buffer) => take(redact === null ? bytes : clean(redact.next(bytes.toString('latin1')))));
  return () => {
    if (redact !== null) take(clean(redact.rest()));
    onText(decoder.end());
  };
}

/**
 * Starts a process. If the start throws, removes the entry for the process from the register, since there is then
 * nothing to end after a crash.
 */
function orStruckOut<Child>(entry: RegisteredProcess, start: () => Child): Child {
  try {
    return start();
  } catch (thrown) {
    entry.ended();
    throw thrown;
  }
}

/**
 * Starts at most one process per turn of the event loop, since a start takes milliseconds. If a hundred processes were
 * started in one turn, none of their ends would be handled before the last start, and a crash in between would cause
 * all of them to be repeated.
 */
const turnToStart = createStartQueue(nextTurn);

async function run(
  { register, redactOutput, environment, wrap }: Required<ProcessParts>,
  request: ProcessRequest,
  signal: AbortSignal,
  onOutput?: (text: string) => void,
  onBytes?: (bytes: Uint8Array) => void,
  onError: (text: string) => void = () => undefined,
): Promise<ProcessResult> {
  const place = await placeOf(request);
  if (place === null) return unstarted('not_started', noFolder(request.folder ?? request.cwd));
  const { execa } = await loadExeca();
  const mark = newId(16);
  const env = environmentOf(request, mark, environment());
  const starting = await launch(request, place, env, wrap);
  if ('error' in starting) return unstarted('not_started', starting.error, starting.isMissing);
  await turnToStart();
  if (signal.aborted) return unstarted('killed', null);
  const entry = register.begin(mark);
  const started = performance.now();
  const child = orStruckOut(entry, () => execa(starting.file, starting.args, optionsFor(request, place, env)));
  const { pid } = child;
  const errors = request.stderr === 'apart' ? child.stderr : null;
  const all = errors === null ? child.all : child.stdout;
  if (pid === undefined || all === undefined || all === null) {
    entry.ended();
    const { code, shortMessage } = await child;
    // If the working folder has just been removed, the system reports the same error as for a missing program.
    const isGone = (await placeOf(request)) === null;
    const why = isGone ? noFolder(request.folder ?? request.cwd) : whyNotStarted(code ?? shortMessage, request.argv[0]);
    return unstarted('not_started', why, !isGone && code === 'ENOENT');
  }
  entry.started(pid);
  const tree: ProcessTree = { pid, mark };
  const untrack = trackTree(tree);
  const excerpt = createExcerpt(request.outputLimit ?? OUTPUT_LIMIT);
  const redactor = redactOutput(request);
  const flush = listen(
    all,
    redactor?.() ?? null,
    (text) => {
      if (text === '') return;
      excerpt.add(text);
      onOutput?.(text);
    },
    onBytes,
  );
  const flushErrors = errors === null ? () => undefined : listen(errors, redactor?.() ?? null, onError);
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ending = await untilEnded(tree, exit, request, signal);
  if (ending.done !== null) await ending.done;
  await drain(all);
  if (errors !== null) await drain(errors);
  if (ending.done === null) {
    const grace = Math.min(request.graceMs ?? GRACE_MS, LEFTOVER_GRACE_MS);
    await endTree(tree, grace, { isWhole: false, ageMs: performance.now() - started });
  }
  for (const pipe of child.stdio) pipe?.destroy();
  flush();
  flushErrors();
  untrack();
  entry.ended();
  const { exitCode } = child;
  return {
    exitCode,
    output: excerpt.text(),
    durationMs: Math.round(performance.now() - started),
    ended: ending.why ?? (exitCode === null ? 'killed' : 'exited'),
    error: ending.why === null && exitCode === null ? child.signalCode : null,
  };
}

const NO_REGISTER: ProcessRegister = { begin: () => ({ started: () => undefined, ended: () => undefined }) };

interface ProcessParts {
  /** Records running processes, so that they can be ended after a crash of this process. */
  readonly register?: ProcessRegister;
  /** Redacts all output of a process before anything else reads it. */
  readonly redactOutput?: RedactOutput;
  /** Returns the environment from which processes get their variables. */
  readonly environment?: () => Environment;
  /** Wraps the processes that must be in a sandbox. */
  readonly wrap?: WrapProcess;
}

/**
 * Creates the service that starts real processes. Each gets a group and a mark, so that no descendant outlives the
 * call.
 */
export const createProcesses = (
  register: ProcessRegister = NO_REGISTER,
  redactOutput: RedactOutput = () => null,
  environment = (): Environment => process.env,
  wrap: WrapProcess = NO_SANDBOX,
): Processes => ({
  run: (request, ...call) =>
    withReportFolder(request, redactOutput(request), environment(), (own) =>
      run({ register, redactOutput, environment, wrap }, own, ...call),
    ),
});

export const processes: Processes = createProcesses();
