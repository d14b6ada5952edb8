import type { SecureStorageService } from '#protocol/secure-storage.ts';
import { systemCode, usageError } from './usage-error.ts';
import { watchEventLoop } from './watchdog.ts';

/** Where text goes. `columns` is asked anew each time: windows are resized. */
export interface Screen {
  readonly isTerminal: boolean;
  columns(): number;
  /** Without it the screen has no end. */
  rows?(): number;
  write(text: string): void;
}

/** The process as the commands see it, so that a test can be one. */
export interface CliIo {
  readonly cwd: string;
  /** That directory, where `-C` has named it. */
  readonly place?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  /** Can a person be asked? */
  readonly interactive: boolean;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** A line that nobody sees: typed without an echo, or from stdin. Null: the person turned away. */
  readSecret(question: string): Promise<string | null>;
  /** Where secrets are kept; without it in the system's keychain. */
  readonly keychain?: SecureStorageService;
  /** Calls back on Ctrl-C and the like, until told to stop. */
  onInterrupt(listener: () => void): () => void;
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

/** Asked when a command needs it: help and the version are there without one. */
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

/** What was asked for has not arrived, for the disk is full: the process does not end as if it had. */
function endAsLost(code: string): void {
  process.stderr.write(`The output cannot be written (${code}).\n`);
  process.on('exit', (ended) => {
    if (ended === 0) process.exitCode = 1;
  });
}

function screen(stream: NodeJS.WriteStream, lost: (code: string) => void): Screen {
  let open = true;
  // The reader may go away (`robosmith graph | head`); the work goes on, its text is dropped.
  stream.on('error', (error) => {
    if (open && systemCode(error) !== 'EPIPE') lost(systemCode(error));
    open = false;
  });
  return {
    isTerminal: stream.isTTY,
    // Some terminals have no size: they tell 0.
    columns: () => (stream.columns > 0 ? stream.columns : 80),
    rows: () => (stream.rows > 0 ? stream.rows : 24),
    write: (text) => {
      if (open) stream.write(text);
    },
  };
}
