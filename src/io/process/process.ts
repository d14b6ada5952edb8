import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from 'execa';
import type { ProcessRegister, RegisteredProcess } from '#protocol/process-register.ts';
import type { Processes, ProcessRequest, ProcessResult } from '#protocol/services.ts';
import { after } from '../clock/long-timeout.ts';
import { allowedEnvironment } from './environment.ts';
import { createExcerpt } from './excerpt.ts';
import { findProgram, noCurrentFolder, type SearchEnvironment, searchEnvironment } from './find-program.ts';
import { newId } from '../clock/identity.ts';
import { createStartQueue } from './start-queue.ts';
import { endTree, type ProcessTree, trackTree } from './process-group.ts';
import { markVariable } from './process-mark.ts';
import { safePath } from '../files/safe-path.ts';
import { nextTurn } from '../clock/next-turn.ts';
import { noFolder, whyNotStarted } from './why-not-started.ts';

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

const environmentOf = ({ env, envNames }: ProcessRequest, mark: string): Readonly<Record<string, string>> => ({
  ...allowedEnvironment(process.env, envNames ?? [], process.platform),
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

type Launch = { readonly file: string; readonly args: readonly string[] } | { readonly error: string };

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
  { argv, shell, stderr }: ProcessRequest,
  cwd: string,
  environment: SearchEnvironment,
): Promise<Launch> {
  const [program, ...args] = argv;
  if (argv.some((part) => part.includes('\0'))) return { error: 'an argument contains a NUL character' };
  if (ON_WINDOWS && shell === true) return { file: program, args };
  const start = stderr === undefined ? ONE_PIPE : STDOUT_ONLY;
  if (shell === true) return { file: '/bin/sh', args: [...start, '/bin/sh', '-c', program] };
  const found = await findProgram(program, cwd, environment);
  if ('error' in found) return { error: whyNotStarted(found.error, program) };
  if (ON_WINDOWS) return { file: found.file, args };
  return stderr === 'apart' ? { file: found.file, args } : { file: '/bin/sh', args: [...start, found.file, ...args] };
}

const unstarted = (ended: 'not_started' | 'killed', error: string | null): ProcessResult => ({
  exitCode: null,
  output: '',
  durationMs: 0,
  ended,
  error,
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
  { register, redactOutput }: Required<ProcessParts>,
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
  const env = environmentOf(request, mark);
  const starting = await launch(request, place, searchEnvironment(env, process.platform));
  if ('error' in starting) return unstarted('not_started', starting.error);
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
    return unstarted('not_started', why);
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
}

/**
 * Creates the service that starts real processes. Each gets a group and a mark, so that no descendant outlives the
 * call.
 */
export const createProcesses = (
  register: ProcessRegister = NO_REGISTER,
  redactOutput: RedactOutput = () => null,
): Processes => ({
  run: (...call) => run({ register, redactOutput }, ...call),
});

export const processes: Processes = createProcesses();
