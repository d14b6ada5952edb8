import type { JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isList, isObject, readObject } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ParsedFile } from '../1-parse/parsed-manifest.ts';
import { fullWorker } from './full-names.ts';
import { declaredWorker } from './worker-names.ts';

/** Returns whether two JSON values are equal, regardless of the order of keys. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (isList(left))
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((value, index) => sameJson(value, right[index] ?? null))
    );
  if (!isObject(left) || !isObject(right)) return false;
  const entries = Object.entries(left);
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key] ?? null))
  );
}

/** A named entry of a section. The name counts as declared even if its value has the wrong shape. */
export interface Declaration {
  readonly name: string;
  readonly value: JsonValue;
  readonly spot: Spot;
}

export type Declarations = ReadonlyMap<string, Declaration>;

const SECTIONS = {
  nodes: 'node',
  workers: 'worker',
  context_slices: 'context slice',
  pools: 'pool',
  commands: 'command',
} as const;

export type Section = keyof typeof SECTIONS;

function collectSection(section: Section, files: readonly ParsedFile[], diagnose: Diagnose): Declarations {
  const declared = new Map<string, Declaration>();
  for (const { root } of files) {
    const container = readObject(root, section);
    if (container === null) continue;
    for (const [member, value] of Object.entries(container)) {
      const spot: Spot = { container, member, side: 'key' };
      const declaration: Declaration =
        section === 'workers'
          ? { name: declaredWorker(member), value: fullWorker(value, diagnose), spot }
          : { name: member, value, spot };
      const { name } = declaration;
      const earlier = declared.get(name);
      if (earlier === undefined) declared.set(name, declaration);
      else if (!isShared(section, earlier, declaration, diagnose))
        reportDuplicate(SECTIONS[section], earlier.spot, declaration, diagnose);
    }
  }
  return declared;
}

/**
 * Returns whether two declarations of a name count as one. This applies to commands and pools of two instances of one
 * file, because commands and pools belong to the project.
 */
function isShared(section: Section, one: Declaration, other: Declaration, { at }: Diagnose): boolean {
  if (section !== 'commands' && section !== 'pools') return false;
  const [first, second] = [at(one.spot), at(other.spot)];
  return first.order === second.order && first.offset === second.offset && sameJson(one.value, other.value);
}

function reportDuplicate(kind: string, first: Spot, again: Declaration, diagnose: Diagnose): void {
  const related = [diagnose.related(first, 'It is declared here first.')];
  diagnose.report('RS2004', again.spot, { kind, name: again.name }, { related });
}

/**
 * Returns the sections that have the wrong shape in some file. Their names can't be read, so a missing name in them is
 * not reported.
 */
export function malformedSections(files: readonly ParsedFile[]): ReadonlySet<Section> {
  const sections: readonly Section[] = ['nodes', 'workers', 'context_slices', 'pools', 'commands'];
  return new Set(
    sections.filter((section) => files.some(({ root }) => has(root, section) && readObject(root, section) === null)),
  );
}

/** Collects everything that the files declare by name. Names must be unique in the whole manifest. */
export function collectDeclarations(
  files: readonly ParsedFile[],
  diagnose: Diagnose,
): Readonly<Record<Section, Declarations>> {
  return {
    nodes: collectSection('nodes', files, diagnose),
    workers: collectSection('workers', files, diagnose),
    context_slices: collectSection('context_slices', files, diagnose),
    pools: collectSection('pools', files, diagnose),
    commands: collectSection('commands', files, diagnose),
  };
}
