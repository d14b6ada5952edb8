import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A fake program to be placed first on a PATH; it records its arguments. */
export interface StandIn {
  /** Returns the arguments of each call, in order. */
  calls(): readonly (readonly string[])[];
  /** Returns the values of the chosen environment variables in each call, as `NAME=value`. */
  seen(): readonly string[];
}

/** Creates the program. `script`: lines of shell code that run after the arguments were recorded. */
export function standIn(folder: string, name: string, script: string, variables: readonly string[] = []): StandIn {
  mkdirSync(folder, { recursive: true });
  const [args, env] = [path.join(folder, `${name}.args`), path.join(folder, `${name}.env`)];
  const echoes = variables.map((variable) => `printf '%s\n' "${variable}=$${variable}" >> '${env}'`);
  const keeps = `for one in "$@"; do printf '%s\\0' "$one"; done >> '${args}'; printf '\\001' >> '${args}'`;
  writeFileSync(path.join(folder, name), ['#!/bin/sh', keeps, ...echoes, script, ''].join('\n'));
  chmodSync(path.join(folder, name), 0o755);
  const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const partsOf = (text: string, end: string): readonly string[] => text.split(end).slice(0, -1);
  return {
    calls: () => partsOf(textOf(args), '\x01').map((call) => partsOf(call, '\0')),
    seen: () => partsOf(textOf(env), '\n'),
  };
}
