import { fitInput, type InputDeclaration } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readList, readString } from '../1-parse/json-reader.ts';

const TYPES = ['string', 'number', 'boolean'] as const;

/** Reads the declaration of an input of a run, or of a parameter of a file. */
export function readDeclaredValue(
  kind: 'input' | 'parameter',
  name: string,
  written: JsonObject,
  { report }: Diagnose,
): InputDeclaration {
  const type = TYPES.find((one) => one === readString(written, 'type')) ?? 'string';
  const declared = { type, description: readString(written, 'description'), values: readList(written, 'enum') };
  const strange = declared.values?.findIndex((value) => typeof value !== type) ?? -1;
  if (strange >= 0)
    report('RS2056', { container: declared.values ?? written, member: strange }, { kind, name, what: 'value', type });
  if (!has(written, 'default')) return { ...declared, fallback: null };
  const fallback = written['default'] ?? null;
  if (fitInput(fallback, { ...declared, fallback: null }) !== fallback)
    report('RS2056', { container: written, member: 'default' }, { kind, name, what: 'default', type });
  return { ...declared, fallback };
}
