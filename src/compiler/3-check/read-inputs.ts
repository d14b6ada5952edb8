import type { InputDeclaration, Inputs } from '#protocol/inputs.ts';
import { fitInput } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';

const TYPES = ['string', 'number', 'boolean'] as const;

function readInput(name: string, written: JsonObject, { report }: Diagnose): InputDeclaration {
  const type = TYPES.find((one) => one === readString(written, 'type')) ?? 'string';
  const declared = { type, description: readString(written, 'description'), values: readList(written, 'enum') };
  const strange = declared.values?.findIndex((value) => typeof value !== type) ?? -1;
  if (strange >= 0)
    report('RS2056', { container: declared.values ?? written, member: strange }, { input: name, what: 'value', type });
  if (!has(written, 'default')) return { ...declared, fallback: null };
  const fallback = written['default'] ?? null;
  if (fitInput(fallback, { ...declared, fallback: null }) !== fallback)
    report('RS2056', { container: written, member: 'default' }, { input: name, what: 'default', type });
  return { ...declared, fallback };
}

/** Reads the inputs that the entry file declares for a run, or returns null if it declares none. */
export function readInputDeclarations(root: JsonObject, diagnose: Diagnose): Inputs | null {
  const written = Object.entries(readObject(root, 'inputs') ?? {});
  if (written.length === 0) return null;
  return Object.fromEntries(
    written.map(([name, value]) => [name, readInput(name, isObject(value) ? value : {}, diagnose)]),
  );
}
