import type { RegistryCode } from '#protocol/registry.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';

/** What an entry of the worker registry refers to: a built-in worker or an export of a module. */
export type Implementation =
  | { readonly kind: 'builtin'; /** The name that manifests use. */ readonly worker: string }
  | {
      readonly kind: 'module';
      /** The path as written, below the root. */ readonly path: string;
      readonly export: string;
    };

interface EntryFault {
  readonly code: RegistryCode;
  /** Whether the name or its target is wrong. */
  readonly side: 'key' | 'value';
  readonly message: string;
}

const SHAPES = 'write "builtin:<Name>" for a built-in worker, or "./path/to/module.mjs#Export" for one of the project';

const MODULE = /^\.\/(?<path>.+)#(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)$/u;

const MANUAL = 'Internal:ManualIntervention';

function whyBadName(name: string, value: unknown): string | null {
  if (name === '' || name.length > 200) return 'a name has 1 to 200 characters: correct it';
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'it has control or invisible characters: remove them';
  if (name.startsWith('Worker:'))
    return `such names are declared in the manifest: list it without "Worker:", and declare it there with "kind": "module"`;
  return name === MANUAL && value !== 'builtin:ManualIntervention'
    ? 'this name is reserved for answers by a person: give your worker another name'
    : null;
}

function readTarget(name: string, target: string): Implementation | EntryFault {
  const fault = (code: RegistryCode, message: string): EntryFault => ({ code, side: 'value', message });
  if (target.startsWith('builtin:')) {
    const worker = `Internal:${target.slice('builtin:'.length)}`;
    if (BUILT_IN_WORKERS.has(worker)) return { kind: 'builtin', worker };
    const known = [...BUILT_IN_WORKERS.keys()].map((one) => one.replace('Internal:', 'builtin:'));
    return fault(
      'registry_unknown_builtin',
      `"${name}" refers to "${target}", which is not a built-in worker: use one of ${known.join(', ')}`,
    );
  }
  const { path, name: exported } = MODULE.exec(target)?.groups ?? {};
  return path === undefined || exported === undefined
    ? fault('registry_bad_value', `"${target}" names no worker for "${name}": ${SHAPES}`)
    : { kind: 'module', path, export: exported };
}

/** Parses one line of the registry without accessing files. */
export function readEntry(name: string, value: unknown): Implementation | EntryFault {
  const bad = whyBadName(name, value);
  if (bad !== null)
    return {
      code: 'registry_bad_name',
      side: 'key',
      message: `${JSON.stringify(name)} is not a valid worker of the registry: ${bad}`,
    };
  if (typeof value === 'string') return readTarget(name, value);
  return { code: 'registry_bad_value', side: 'value', message: `"${name}" has no text as its value: ${SHAPES}` };
}
