import { spawnSync } from 'node:child_process';
import { emitKeypressEvents, type Key as NodeKey } from 'node:readline';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { createKeyReader } from './keys.ts';
import type { ConsoleTerminal, TerminalListener } from './terminal.ts';

/** Enters the alternate screen, switches off line wrap, hides the cursor and asks for bracketed pastes. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[?25l\u001b[?2004h\u001b[H\u001b[2J';
const LEAVE = '\u001b[?2004l\u001b[?25h\u001b[?7h\u001b[?1049l';

/** The time in milliseconds to wait after an escape character for the rest of a key's escape sequence. */
const ESCAPE_MS = 50;

const isPosix = process.platform !== 'win32';

/** Runs `stty` on the terminal; null if that fails or does not exist. */
function stty(...args: readonly string[]): string | null {
  if (!isPosix) return null;
  const env = childEnvironment(process);
  const { status, stdout } = spawnSync('stty', args, { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8', env });
  return status === 0 ? stdout.trim() : null;
}

/** The state of the terminal: whether the console uses it, and the settings to restore. */
interface Hold {
  isTaken: boolean;
  settings: string | null;
}

/** Returns functions that acquire and release the terminal. Each of them may be called in any state. */
function holding(io: CliIo, isRaw: boolean) {
  const { stdin } = process;
  const hold: Hold = { isTaken: false, settings: null };
  const take = (): void => {
    if (hold.isTaken) return;
    hold.isTaken = true;
    if (isRaw) stdin.setRawMode(true);
    if (isRaw) stdin.resume();
    io.stdout.write(ENTER);
  };
  const giveBack = (): void => {
    if (!hold.isTaken) return;
    hold.isTaken = false;
    io.stdout.write(LEAVE);
    if (!isRaw) return;
    stdin.pause();
    stdin.setRawMode(false);
  };
  return {
    take,
    giveBack,
    isTaken: () => hold.isTaken,
    /**
     * Stores the settings of the terminal, because a shell or program may crash and leave the terminal in another mode.
     */
    keepSettings: (): void => {
      if (isRaw) hold.settings = stty('-g');
    },
    restoreSettings: (): void => {
      if (hold.settings !== null) stty(hold.settings);
    },
  };
}

type TerminalHold = ReturnType<typeof holding>;

/** Forwards the process events that concern the terminal to the listener. Returns a function that stops this. */
function onProcessEvents(io: CliIo, listener: TerminalListener, held: TerminalHold, isLent: () => boolean): () => void {
  const { stdin, stdout } = process;
  const { giveBack } = held;
  const continued = (): void => {
    if (isLent()) return;
    // While the process was suspended, the shell may have changed the mode of the terminal.
    held.giveBack();
    held.take();
    listener.continued();
  };
  const hungUp = (): void => listener.ended();
  // The crash barrier prints its message after this, on the screen that the user sees.
  process.on('uncaughtExceptionMonitor', giveBack);
  process.prependListener('unhandledRejection', giveBack);
  process.on('exit', giveBack);
  stdout.on('resize', listener.resized);
  stdin.on('end', hungUp);
  if (isPosix) process.on('SIGCONT', continued);
  const stop = io.onInterrupt((signal) => {
    // While another program uses the terminal, Ctrl-C is meant for that program.
    if (!(isLent() && signal === 'SIGINT')) listener.ended();
  });
  return () => {
    stop();
    process.off('uncaughtExceptionMonitor', giveBack);
    process.off('unhandledRejection', giveBack);
    process.off('exit', giveBack);
    stdout.off('resize', listener.resized);
    stdin.off('end', hungUp);
    process.off('SIGCONT', continued);
  };
}

/** Returns the terminal of this process. The screen and the mode of the terminal are restored however the process ends. */
export function processTerminal(io: CliIo): ConsoleTerminal {
  const { stdin } = process;
  const hasKeys = stdin.isTTY;
  const held = holding(io, hasKeys);
  let isLent = false;
  let stop = (): void => undefined;
  return {
    hasKeys,
    size: () => ({ columns: io.stdout.columns(), rows: io.stdout.rows?.() ?? 24 }),
    open: (listener) => {
      const read = createKeyReader();
      const onKey = (text: string | undefined, key: NodeKey): void => {
        const pressed = read(text, key);
        if (pressed !== null && !isLent) listener.key(pressed);
      };
      held.keepSettings();
      // `emitKeypressEvents` is normally called with a readline interface. Here the option alone is passed, which
      // shortens the wait for the rest of an escape sequence.
      if (hasKeys) emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as never);
      if (hasKeys) stdin.on('keypress', onKey);
      const unhear = onProcessEvents(io, listener, held, () => isLent);
      stop = () => {
        unhear();
        stdin.off('keypress', onKey);
      };
      held.take();
    },
    write: (text) => {
      if (held.isTaken() && text !== '') io.stdout.write(text);
    },
    lend: async (work) => {
      isLent = true;
      held.giveBack();
      try {
        return await work();
      } finally {
        isLent = false;
        held.restoreSettings();
        held.take();
      }
    },
    suspend: () => {
      if (!isPosix) return;
      held.giveBack();
      process.kill(process.pid, 'SIGTSTP');
    },
    close: () => {
      held.giveBack();
      stop();
    },
  };
}
