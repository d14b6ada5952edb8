import { stat } from 'node:fs/promises';
import type { Options } from 'execa';
import type { Processes, ProcessRequest, ProcessResult } from '#protocol/services.ts';
import { allowedEnvironment } from './environment.ts';
import { safePath } from './safe-path.ts';

/** Kept of a process's output: both ends of it, in characters. */
const OUTPUT_LIMIT = 1_000_000;

/** A process that ignores SIGTERM is killed after this. */
const GRACE_MS = 5_000;

/** Keeps the head and the tail of a stream of text. */
function createExcerpt(limit: number) {
  const half = Math.floor(limit / 2);
  let head = '';
  let tail = '';
  let dropped = 0;
  return {
    add: (text: string): void => {
      const room = half - head.length;
      head += text.slice(0, Math.max(0, room));
      tail += text.slice(Math.max(0, room));
      if (tail.length <= 2 * half) return;
      dropped += tail.length - half;
      tail = tail.slice(-half);
    },
    text: (): string => (dropped === 0 ? head + tail : `${head}\n… ${dropped} characters left out …\n${tail}`),
  };
}

/** Loaded with the first process: a command that starts none should not pay for it. */
const loadExeca = () => import('execa');

/** Ends a process and all its descendants. */
async function killTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (process.platform === 'win32') {
    const { execa } = await loadExeca();
    await execa('taskkill', ['/pid', String(pid), '/T', '/F'], { reject: false, stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // the group has ended by itself
  }
}

const optionsFor = ({ shell, env, envNames, input }: ProcessRequest, cwd: string): Options => ({
  cwd,
  shell: shell ?? false,
  extendEnv: false,
  env: { ...allowedEnvironment(process.env, envNames ?? [], process.platform), ...env },
  all: true,
  buffer: false,
  reject: false,
  detached: process.platform !== 'win32',
  cleanup: true,
  windowsHide: true,
  stripFinalNewline: false,
  ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
});

/** Where it works; null when there is no such folder. */
async function placeOf({ cwd, folder }: ProcessRequest): Promise<string | null> {
  if (folder === undefined || folder === '.' || folder === './') return cwd;
  const place = await safePath(cwd, folder);
  const found = await stat(place).catch(() => null);
  return found?.isDirectory() === true ? place : null;
}

const nowhere = (folder: string): ProcessResult => ({
  exitCode: null,
  output: '',
  durationMs: 0,
  ended: 'not_started',
  error: `there is no folder "${folder}"`,
});

type Ended = ProcessResult['ended'];

async function run(request: ProcessRequest, signal: AbortSignal): Promise<ProcessResult> {
  const place = await placeOf(request);
  if (place === null) return nowhere(request.folder ?? '');
  const started = performance.now();
  const { execa } = await loadExeca();
  const [program, ...args] = request.argv;
  const excerpt = createExcerpt(request.outputLimit ?? OUTPUT_LIMIT);
  const child = execa(program, args, optionsFor(request, place));
  child.all?.setEncoding('utf8').on('data', (text: string) => excerpt.add(text));
  let ended: Ended | null = null;
  let force: NodeJS.Timeout | undefined;
  const stop = (why: Ended): void => {
    if (ended !== null || child.pid === undefined) return;
    const { pid } = child;
    ended = why;
    void killTree(pid, 'SIGTERM');
    force = setTimeout(() => void killTree(pid, 'SIGKILL'), request.graceMs ?? GRACE_MS);
  };
  const onAbort = () => stop('killed');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const limit = request.timeoutMs === undefined ? undefined : setTimeout(() => stop('timed_out'), request.timeoutMs);
  const result = await child;
  clearTimeout(limit);
  clearTimeout(force);
  signal.removeEventListener('abort', onAbort);
  if (ended !== null && child.pid !== undefined) await killTree(child.pid, 'SIGKILL');
  const notStarted = child.pid === undefined;
  return {
    exitCode: result.exitCode ?? null,
    output: excerpt.text(),
    durationMs: Math.round(performance.now() - started),
    ended: notStarted ? 'not_started' : (ended ?? (result.exitCode === undefined ? 'killed' : 'exited')),
    error: notStarted ? (result.code ?? result.shortMessage ?? 'unknown') : null,
  };
}

/** Real processes; a process group each, so that no descendant outlives its abort. */
export const processes: Processes = { run };
