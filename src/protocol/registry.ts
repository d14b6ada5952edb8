import type { Integer } from './count.ts';
/** The closed table of registry errors; `schemas/errors.md` explains each. */
export const REGISTRY_CODES = [
  'registry_unreadable',
  'registry_bad_syntax',
  'registry_not_an_object',
  'registry_duplicate_key',
  'registry_bad_name',
  'registry_bad_value',
  'registry_unknown_builtin',
  'registry_unsafe_path',
  'registry_not_listed',
  'registry_module_broken',
  'registry_not_approved',
] as const;

export type RegistryCode = (typeof REGISTRY_CODES)[number];

/** A registry error: its code, its place in the file, and how to fix it. */
export type RegistryProblem = {
  readonly code: RegistryCode;
  /** A message whose last part says what to do. */
  readonly message: string;
  /** The registry's path relative to the root. */
  readonly file: string;
  readonly line: Integer;
  readonly column: Integer;
  /** Commands to type next. */
  readonly next: readonly string[];
};

/** An entry of the registry. `not_loaded`: the manifest doesn't use it. */
export interface RegistryEntry {
  readonly name: string;
  /** The target as written in the registry: `builtin:<Name>` or `./path.mjs#Export`. */
  readonly target: string;
  readonly status: 'ready' | 'broken' | 'not_loaded';
  /** The reason why the entry can't be loaded. */
  readonly problem: string | null;
}
