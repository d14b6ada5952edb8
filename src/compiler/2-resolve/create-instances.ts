import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { hasParameters, type ParsedFile } from '../1-parse/parsed-manifest.ts';
import type { Spot } from '../1-parse/origins.ts';
import { instanceNames, SAME_NAMES } from './instance-names.ts';
import { createInstantiate } from './instantiate.ts';
import { entryValues, type ParameterValues, parameterValues } from './parameters.ts';

/** One import, as written in the manifest. */
interface WrittenImport {
  readonly path: string;
  readonly spot: Spot;
  readonly as: string | null;
  readonly given: JsonObject | null;
}

interface Instances {
  /** Returns the entry file with the default values of its parameters; null if a parameter has no default. */
  entry(file: ParsedFile): ParsedFile | null;
  /**
   * Returns the file for one import: the file itself, or an instance of it with the names and values of the import.
   * Returns null, with a report, if arguments are missing or wrong, or if the file imports itself in this way.
   */
  of(importer: ParsedFile, file: ParsedFile, wanted: WrittenImport): ParsedFile | null;
}

const keyOf = ({ path }: ParsedFile, as: string | null, values: ParameterValues): string =>
  JSON.stringify([path, as, values === null ? null : [...values]]);

/**
 * Creates the instances of one manifest's files. Two imports of the same file without a name and with the same values
 * share one instance.
 */
export function createInstances(diagnose: Diagnose): Instances {
  const instantiate = createInstantiate(diagnose);
  const shared = new Map<string, ParsedFile | null>();
  /** The paths of the files through which an instance was imported. */
  const chains = new Map<ParsedFile, ReadonlySet<string>>();
  /** The names of each file's imports, to detect duplicates. */
  const named = new Map<ParsedFile, Set<string>>();

  const chainOf = (file: ParsedFile): ReadonlySet<string> => chains.get(file) ?? new Set([file.path]);
  const isTwice = (importer: ParsedFile, { path }: ParsedFile, as: string): boolean => {
    const before = named.get(importer) ?? new Set<string>();
    named.set(importer, before);
    const key = JSON.stringify([path, as]);
    return before.has(key) || !before.add(key);
  };
  const make = (importer: ParsedFile, file: ParsedFile, as: string | null, values: ParameterValues) => {
    const made = instantiate(file, { values, names: as === null ? SAME_NAMES : instanceNames(file.root, as) });
    if (made !== null) chains.set(made, new Set([...chainOf(importer), file.path]));
    return made;
  };

  return {
    entry: (file) => {
      if (!hasParameters(file.root)) return file;
      const values = entryValues(file.root, diagnose);
      return values === undefined ? null : instantiate(file, { values, names: SAME_NAMES });
    },
    of: (importer, file, { path, spot, as, given }) => {
      if (as === null && given === null && !hasParameters(file.root)) return file;
      const chain = chainOf(importer);
      if (chain.has(file.path)) {
        diagnose.report('RS2003', spot, { path, cycle: [...chain, file.path].join(' → ') });
        return null;
      }
      const values = parameterValues(file.root, { path, spot, given }, diagnose);
      if (values === undefined) return null;
      if (as !== null) {
        if (isTwice(importer, file, as)) diagnose.report('RS2064', spot, { path, name: as });
        return make(importer, file, as, values);
      }
      if (values === null) return file;
      const key = keyOf(file, as, values);
      const made = shared.has(key) ? (shared.get(key) ?? null) : make(importer, file, null, values);
      shared.set(key, made);
      return made;
    },
  };
}
