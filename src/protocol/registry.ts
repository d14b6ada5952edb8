/** What can be wrong with the registry, or with a manifest that uses it. Closed; `schemas/errors.md` explains each. */
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
] as const;

export type RegistryCode = (typeof REGISTRY_CODES)[number];

/** A configuration error: what is wrong, where, and what to do about it. */
export type RegistryProblem = {
  readonly code: RegistryCode;
  /** Ends with what to do. */
  readonly message: string;
  /** The registry, as people in the root call it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Commands to type next. */
  readonly next: readonly string[];
};

/** A line of the registry. `not_loaded`: nothing uses it. */
export interface RegistryEntry {
  readonly name: string;
  /** As written: `builtin:<Name>` or `./path.mjs#Export`. */
  readonly target: string;
  readonly status: 'ready' | 'broken' | 'not_loaded';
  /** Why it is broken. */
  readonly problem: string | null;
}
