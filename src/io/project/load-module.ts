import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Clock } from '#protocol/clock.ts';
import { messageOf } from '#protocol/message-of.ts';

export type LoadedModule = { readonly exports: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** A module that waits for something at its top may wait for ever. */
const LIMIT_MS = 10_000;

/** ` (line 3)`, where the stack says so; engines put the place of a syntax error in there, and nowhere else. */
function lineIn(thrown: unknown, href: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const line = stack.includes(href) ? /^:(\d+)/.exec(stack.slice(stack.indexOf(href) + href.length))?.[1] : undefined;
  return line === undefined ? '' : ` (line ${line})`;
}

/** When a file that was loaded here had been changed: a module is loaded once, and a host lives long. */
const loadedOf = new Map<string, number>();

/** A file that has changed since is another module; what it imports is not looked at. */
function hrefOf(file: string, modifiedAt: number): string {
  const { href } = pathToFileURL(file);
  const first = loadedOf.get(href) ?? modifiedAt;
  loadedOf.set(href, first);
  return first === modifiedAt ? href : `${href}?changed=${modifiedAt}`;
}

async function load(file: string): Promise<LoadedModule> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) return { problem: 'there is no such file' };
  const href = hrefOf(file, found.mtimeMs);
  try {
    return { exports: (await import(/* @vite-ignore */ href)) as Readonly<Record<string, unknown>> };
  } catch (thrown) {
    return { problem: `it cannot be loaded: ${messageOf(thrown)}${lineIn(thrown, href)}` };
  }
}

/** Imports a module, which executes it: only for what the project may run. Never throws. */
export async function loadModule(file: string, clock: Clock): Promise<LoadedModule> {
  const loaded = new AbortController();
  const late = async (): Promise<LoadedModule> => {
    await clock.sleep(LIMIT_MS, loaded.signal, '');
    return { problem: `it did not finish loading within ${LIMIT_MS / 1_000} s` };
  };
  const result = await Promise.race([load(file), late()]);
  loaded.abort();
  return result;
}
