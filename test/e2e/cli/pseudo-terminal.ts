import { spawn } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROGRAM } from './robosmith.ts';

const PSEUDO_TERMINAL = 'script';

/** What is typed once the cue has appeared: keys, or a function that does something else first and returns the keys. */
type Typed = readonly [cue: string, keys: string | (() => Promise<string>)];

interface Screen {
  readonly code: number | null;
  readonly text: string;
  /** The text without control sequences. */
  readonly plain: string;
}

/**
 * Starts a command on a pseudo-terminal (util-linux) and types each key after its cue has appeared. `more`: variables
 * that are added to its environment.
 */
export function onTerminal(
  folder: string,
  args: readonly string[],
  typed: readonly Typed[],
  more: Readonly<Record<string, string>> = {},
) {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  // Without stty the pseudo-terminal has no width, and prompts would wrap after every letter.
  const child = spawn(PSEUDO_TERMINAL, ['-qec', `stty cols 100 rows 40; exec ${command}`, '/dev/null'], {
    cwd: folder,
    env: {
      ...process.env,
      ...more,
      CI: undefined,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      TERM: 'xterm',
      ROBOSMITH_CONFIG_DIR: path.join(folder, '..', 'config'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const screen = Promise.withResolvers<Screen>();
  let text = '';
  let read = 0;
  const waiting = [...typed];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const [next] = waiting;
    if (next === undefined || !stripVTControlCharacters(text.slice(read)).includes(next[0])) return;
    waiting.shift();
    read = text.length;
    const [, keys] = next;
    if (typeof keys === 'string') child.stdin.write(keys);
    else keys().then((more) => child.stdin.write(more), screen.reject);
  });
  child.on('close', (code) =>
    screen.resolve({ code, text, plain: stripVTControlCharacters(text).replaceAll('\r', '') }),
  );
  return { kill: () => void child.kill(), ended: screen.promise };
}
