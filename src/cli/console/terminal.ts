import type { Key } from './keys.ts';
import type { Size } from './model.ts';

/** The callbacks for events of a terminal. */
export interface TerminalListener {
  key(key: Key): void;
  resized(): void;
  /** Called when the program has to end, after a signal or because the terminal was closed. */
  ended(): void;
  /** Called when the program continues after a suspension. The screen is empty then. */
  continued(): void;
}

/** The terminal as the console uses it; tests provide another one. */
export interface ConsoleTerminal {
  /** True if keys can be read: stdin is a terminal as well. */
  readonly hasKeys: boolean;
  size(): Size;
  /** Acquires the whole screen and the keyboard input. */
  open(listener: TerminalListener): void;
  write(text: string): void;
  /** Releases the terminal while `work` uses it, and acquires it again afterwards. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Stops this process until a shell continues it, as Ctrl-Z does. */
  suspend(): void;
  /** Releases the terminal. May be called more than once. */
  close(): void;
}

/** The clock of the console, which tests replace. */
export interface ConsoleClock {
  now(): number;
  /** Calls the function repeatedly at this interval. Returns a function that stops it. */
  every(ms: number, work: () => void): () => void;
}
