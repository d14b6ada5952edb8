import { bareWorker, declaredWorker, isTarget } from '#compiler/index.ts';
import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import { keyOf, type Occurrence, type Symbol } from '../names/collect-occurrences.ts';
import { fullSignal, shortSignal } from '../names/signal-keys.ts';
import type { Location, Position, TextEdit } from '../text/place.ts';
import { locationOf, occurrenceAt } from './find-places.ts';

type RenameResult =
  { readonly ok: true; readonly edits: readonly TextEdit[] } | { readonly ok: false; readonly problem: string };

type RenameStart =
  | { readonly ok: true; readonly place: Location; readonly name: string }
  | { readonly ok: false; readonly problem: string };

const NAME = /^(?![0-9]+$)(?!.*__)[A-Za-z0-9_-]+$/;
const FORBIDDEN = new Set([
  ...['constructor', 'toString', 'toLocaleString', 'valueOf'],
  ...['hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable'],
]);

const refused = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

/** Returns why a symbol can't have this name, or null if it can. */
function problemOf({ kind }: Symbol, name: string): string | null {
  if (kind === 'signal')
    return /^SIGNAL:[A-Z0-9_]+$/.test(name)
      ? null
      : 'A signal must be `SIGNAL:` followed by capital letters, digits or `_`.';
  const bare = kind === 'worker' ? name.replace(/^Worker:/, '') : name;
  if (kind === 'block' && !isTarget(name))
    return `"${name}" is a word of \`on\`, so it can't be the new name of a block.`;
  const isName = NAME.test(bare) && !FORBIDDEN.has(bare);
  return isName ? null : `"${bare}" can't be a name: use letters, digits, _ and -, without __ and not only digits.`;
}

const BUILT_IN_SIGNALS = /^SIGNAL:(?:SUCCESS|FAILURE|FAIL_DEFAULT|ERROR|TIMEOUT|VALIDATION_FAIL|NO_SIGNAL)$/;

function whyFixed({ symbol }: Occurrence, places: readonly Occurrence[]): string | null {
  if (symbol.kind === 'signal')
    return BUILT_IN_SIGNALS.test(symbol.name) ? `${symbol.name} is defined by the engine and can't be renamed.` : null;
  return places.some((place) => place.isDeclaration)
    ? null
    : `${symbol.name} is not declared in this manifest or its imports, so it can't be renamed.`;
}

/** Returns the name and range that a rename at this position would change, or why nothing can be renamed there. */
export function startRename(project: ManifestProject, file: string, position: Position): RenameStart {
  const found = occurrenceAt(project, file, position);
  const place = found === null ? null : locationOf(project, found);
  if (found === null || place === null) return refused('There is nothing to rename here.');
  const why = whyFixed(found, project.names.places(found.symbol));
  return why === null ? { ok: true, place, name: writtenAt(project, found) } : refused(why);
}

function isTaken({ names }: ManifestProject, symbol: Symbol, name: string, places: readonly Occurrence[]): boolean {
  if (symbol.kind === 'signal') return false;
  if (symbol.kind !== 'block') return names.names(symbol.kind).includes(name);
  const nodes = new Set(places.flatMap((place) => (place.symbol.kind === 'block' ? [place.symbol.node] : [])));
  const family = names.families.familyOf(symbol.node, symbol.name);
  for (const node of names.names('node')) if (names.families.familyOf(node, symbol.name) === family) nodes.add(node);
  return [...nodes].some((node) => names.families.blocksOf(node).includes(name));
}

const writtenAt = (project: ManifestProject, { file, span }: Occurrence): string =>
  project.document(file)?.text.slice(span.from, span.to) ?? '';

/** Returns a name without its prefix; null for symbols whose names have none. */
const shortName = ({ kind }: Symbol, name: string): string | null => {
  if (kind === 'signal') return shortSignal(name);
  return kind === 'worker' ? bareWorker(name) : null;
};

/** Returns whether a place names a worker without its prefix, where the new name would be that of two workers. */
const isAmbiguous = (project: ManifestProject, name: string, places: readonly Occurrence[]): boolean =>
  BUILT_IN_WORKER_NAMES.some((one) => one === `Internal:${bareWorker(name)}`) &&
  places.some(
    (place) => place.symbol.kind === 'worker' && !place.isDeclaration && !writtenAt(project, place).includes(':'),
  );

/** Returns the new name in the form in which the old one is written: with or without its prefix. */
function nameAt(project: ManifestProject, place: Occurrence, newName: string): string {
  const short = shortName(place.symbol, place.symbol.name);
  return short === writtenAt(project, place) ? (shortName(place.symbol, newName) ?? newName) : newName;
}

const fullName = ({ kind }: Symbol, name: string): string => {
  if (kind === 'worker') return declaredWorker(name);
  return kind === 'signal' && /^[A-Z0-9_]+$/.test(name) ? fullSignal(name) : name;
};

/** Returns the edits that rename the symbol at a position in all files. An unchanged name needs no edits. */
export function rename(project: ManifestProject, file: string, position: Position, written: string): RenameResult {
  const start = startRename(project, file, position);
  const found = occurrenceAt(project, file, position);
  if (!start.ok) return start;
  const newName = found === null ? written : fullName(found.symbol, written);
  if (found === null || newName === found.symbol.name) return { ok: true, edits: [] };
  const problem = problemOf(found.symbol, newName);
  if (problem !== null) return refused(problem);
  const places = project.names.places(found.symbol);
  if (isAmbiguous(project, newName, places))
    return refused(
      `There is a built-in worker "Internal:${bareWorker(newName)}", and some places have no \`Worker:\`.`,
    );
  if (isTaken(project, found.symbol, newName, places))
    return refused(`The ${found.symbol.kind} "${newName}" already exists.`);
  const seen = new Set<string>();
  const edits = places.flatMap((place) => {
    const location = locationOf(project, place);
    const key = `${place.file}\n${place.span.from}\n${keyOf(place.symbol)}`;
    if (location === null || seen.has(key)) return [];
    seen.add(key);
    return [{ ...location, newText: nameAt(project, place, newName) }];
  });
  return { ok: true, edits };
}
