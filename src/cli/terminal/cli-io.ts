import type { SecureStorageService } from '#protocol/secure-storage.ts';
import { systemCode, usageError } from './usage-error.ts';
import { watchEventLoop } from './watchdog.ts';

/** An output stream. `columns` is evaluated at each use, because windows can be resized. */
export interface Screen {
  readonly isTerminal: boolean;
  columns(): number;
  /** The number of rows; without it, the screen is unlimited. */
  rows?(): number;
  write(text: string): void;
}

/** The process environment that commands use. Tests replace it. */
export interface CliIo {
  readonly cwd: string;
  /** The directory, if given with `-C`. */
  readonly place?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  /** True if a person can answer questions on the terminal. */
  readonly interactive: boolean;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Reads a line without echo, or from stdin. Null if the person cancelled. */
  readSecret(question: string): Promise<string | null>;
  /** Where secrets are stored; by default in the system's keychain. */
  readonly keychain?: SecureStorageService;
  /** Calls the listener on Ctrl-C and termination signals, until the returned function is called. */
  onInterrupt(listener: (signal?: NodeJS.Signals) => void): () => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', ...(process.platform === 'win32' ? [] : (['SIGHUP'] as const))] as const;

export function processIo(): CliIo {
  let isWatched = false;
  return {
    get cwd() {
      return currentDirectory();
    },
    env: process.env,
    platform: process.platform,
    nodeVersion: process.versions.node,
    interactive: process.stdin.isTTY && process.stderr.isTTY && !process.env['CI'],
    readSecret: async (question) => (await import('./read-secret.ts')).readSecret(question),
    stdout: screen(process.stdout, endAsLost),
    stderr: screen(process.stderr, () => undefined),
    onInterrupt(listener) {
      if (!isWatched) watchEventLoop(SIGNALS);
      isWatched = true;
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
  };
}

/** Returns the current directory. It is read on demand, because `--help` and `--version` must work without one. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw usageError(
      `The current directory cannot be used (${systemCode(error)}): it was deleted, or you may not read it. Change to another directory.`,
      ['robosmith --help'],
    );
  }
}

/**
 * Reports that the output is incomplete, for example because the disk is full, and makes the process exit with an
 * error.
 */
function endAsLost(code: string): void {
  process.stderr.write(`The output cannot be written (${code}).\n`);
  process.on('exit', (ended) => {
    if (ended === 0) process.exitCode = 1;
  });
}

function screen(stream: NodeJS.WriteStream, lost: (code: string) => void): Screen {
  let open = true;
  // The reader may close the pipe (`robosmith graph | head`): the command continues without output.
  stream.on('error', (error) => {
    if (open && systemCode(error) !== 'EPIPE') lost(systemCode(error));
    open = false;
  });
  return {
    isTerminal: stream.isTTY,
    // Some terminals report a width of 0.
    columns: () => (stream.columns > 0 ? stream.columns : 80),
    rows: () => (stream.rows > 0 ? stream.rows : 24),
    write: (text) => {
      if (open) stream.write(text);
    },
  };
}
