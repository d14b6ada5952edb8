import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isList, isObject, readNumber, strings } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { Declarations } from './collect-declarations.ts';

/** A command that must pass before a block is done. */
export interface Check {
  readonly command: readonly string[];
  readonly timeoutMs: number | null;
  /** True: tests of which none ran have passed. */
  readonly allowEmpty: boolean;
  /** True: the command runs in a sandbox. */
  readonly sandbox: boolean;
  /** The maximum number of executions of the worker, including the first one. */
  readonly attempts: number;
}

/** The commands that a check can name: those of the manifest, and those that the project's files suggest. */
export interface KnownCommands {
  readonly declared: Declarations;
  readonly detected: Graph['commands'];
  /** True if the manifest's command names can't be read. An unknown command is not reported then. */
  readonly isUncertain: boolean;
}

const ATTEMPTS = 3;

/** Reads a value of `commands`: a program and its arguments, or an object with them and settings. */
export function readProjectCommand(value: JsonValue | undefined): {
  readonly argv: readonly string[];
  readonly allowEmpty: boolean;
} {
  const written = isObject(value) ? value : null;
  const argv = written === null ? value : written['command'];
  return { argv: isList(argv) ? strings(argv) : [], allowEmpty: written?.['allow_empty'] === true };
}

function argvOf(name: string, { declared, detected }: KnownCommands): readonly string[] | null {
  const written = declared.get(name)?.value;
  if (written !== undefined) return readProjectCommand(written).argv;
  return Object.hasOwn(detected, name) ? (detected[name] ?? null) : null;
}

function readCommand(
  value: JsonValue | undefined,
  spot: Spot,
  known: KnownCommands,
  { report, nearest }: Diagnose,
): readonly string[] | null {
  if (isList(value)) return strings(value);
  if (typeof value !== 'string' || value === '') return null;
  const argv = argvOf(value, known);
  if (argv !== null || known.isUncertain) return argv;
  const names = [...known.declared.keys(), ...Object.keys(known.detected)];
  report('RS2053', spot, { command: value }, { near: nearest(value, names) });
  return null;
}

/** Reads the property `check` of a block. Returns null if it is missing or can't be read. */
export function desugarCheck(written: JsonObject, known: KnownCommands, diagnose: Diagnose): Check | null {
  if (!has(written, 'check')) return null;
  const { check } = written;
  const settings = isObject(check) ? check : null;
  const spot = settings === null ? { container: written, member: 'check' } : { container: settings, member: 'command' };
  const command = readCommand(settings === null ? check : settings['command'], spot, known, diagnose);
  if (command === null || command.length === 0) return null;
  const own = settings === null ? check : settings['command'];
  const declared = typeof own === 'string' ? known.declared.get(own)?.value : undefined;
  return {
    command,
    allowEmpty: settings?.['allow_empty'] === true || readProjectCommand(declared).allowEmpty,
    sandbox: settings?.['sandbox'] === true,
    timeoutMs: settings === null ? null : readNumber(settings, 'timeout_ms'),
    attempts: (settings === null ? null : readNumber(settings, 'attempts')) ?? ATTEMPTS,
  };
}
