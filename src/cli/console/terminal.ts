import type { Key } from './keys.ts';
import type { Size } from './model.ts';

/** What a terminal reports. */
export interface TerminalListener {
  key(key: Key): void;
  resized(): void;
  /** The program is to end: a signal, or the terminal was closed. */
  ended(): void;
  /** The program continues after it was suspended, and the screen is empty. */
  continued(): void;
}

/** The terminal as the console uses it; tests provide another one. */
export interface ConsoleTerminal {
  /** True if keys can be read: stdin is a terminal as well. */
  readonly hasKeys: boolean;
  size(): Size;
  /** Takes the whole screen and the keys. */
  open(listener: TerminalListener): void;
  write(text: string): void;
  /** Gives the terminal back while a program uses it, and takes it again. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Stops this process until a shell continues it, as Ctrl-Z does. */
  suspend(): void;
  /** Gives the terminal back. May be called more than once. */
  close(): void;
}

/** Time as a port. */
export interface ConsoleClock {
  now(): number;
  /** Calls the function again and again. Returns a function that stops it. */
  every(ms: number, work: () => void): () => void;
}
