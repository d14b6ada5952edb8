import type { Place } from '#protocol/diagnostic.ts';

/** Returns the offsets at which the lines of a text begin. Like in editors, `\n`, `\r\n` and a lone `\r` end a line. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  const ending = /\r\n?|\n/g;
  while (ending.exec(text) !== null) starts.push(ending.lastIndex);
  return starts;
}

/** Returns the line and column of an offset, both counted from 1. */
function positionAt(starts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** A file that is being compiled. `order` is its position among the sources. */
export interface SourceFile {
  readonly path: string;
  readonly order: number;
  readonly starts: readonly number[];
}

/**
 * The place of an object or array in the parsed text. Origins are stored in a separate map with the object as the key,
 * so that a value that moves into another node (`extend`, mixins) keeps its file and line.
 */
export interface Origin {
  readonly file: SourceFile;
  readonly parent: Origin | null;
  /** The key or index of the value in its parent. */
  readonly key: string | number;
  /** The offset of the member's key, or of the value itself if it has no key. */
  readonly offset: number;
  /** The keys of an object in written order; empty for an array. */
  readonly keys: string[];
  /** The offsets of each member: of its key, then of its value. An array has only the offsets of its values. */
  readonly offsets: number[];
  /** Maps keys to their index. The map is created at the first lookup of a member, which is rare. */
  index: Map<string, number> | null;
}

type Origins = ReadonlyMap<object, Origin>;

/**
 * A place in a parsed file: a container or one of its members. `side` says whether the member's key or value is meant.
 */
export interface Spot {
  readonly container: object;
  readonly member?: string | number;
  readonly side?: 'key' | 'value';
}

const escapeToken = (key: string | number): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

function pointerOf(origin: Origin): string {
  let pointer = '';
  for (let at = origin; at.parent !== null; at = at.parent) pointer = `/${escapeToken(at.key)}${pointer}`;
  return pointer;
}

export const memberPointer = (origin: Origin, key: string | number): string =>
  `${pointerOf(origin)}/${escapeToken(key)}`;

/** Returns the index of a key among the members, from a map that is extended when members are added. */
export function memberIndex(origin: Origin, key: string): number | undefined {
  const index = origin.index ?? new Map<string, number>();
  origin.index = index;
  for (let at = index.size; at < origin.keys.length; at += 1) index.set(origin.keys[at] ?? '', at);
  return index.get(key);
}

function memberOffset(origin: Origin, member: string | number, side: 'key' | 'value'): number | undefined {
  if (typeof member === 'number') return origin.offsets[member];
  const at = memberIndex(origin, member);
  return at === undefined ? undefined : origin.offsets[2 * at + (side === 'key' ? 0 : 1)];
}

export interface LocatedPlace {
  readonly place: Place;
  readonly order: number;
  readonly offset: number;
}

export function placeAt(file: SourceFile, offset: number, pointer: string): LocatedPlace {
  return { place: { file: file.path, ...positionAt(file.starts, offset), pointer }, order: file.order, offset };
}

/** Returns the file, line and column of a spot. If the member doesn't exist, returns those of its container. */
export function locate(origins: Origins, { container, member, side = 'value' }: Spot): LocatedPlace {
  const origin = origins.get(container);
  if (origin === undefined) throw new Error('bug: a value without an origin');
  const offset = member === undefined ? undefined : memberOffset(origin, member, side);
  if (member === undefined || offset === undefined) return placeAt(origin.file, origin.offset, pointerOf(origin));
  return placeAt(origin.file, offset, memberPointer(origin, member));
}

/** Returns the origin of the root of the file, or of the file's instance, that contains a value. */
export function rootOrigin(origins: Origins, value: object): Origin | null {
  let at = origins.get(value) ?? null;
  while (at?.parent) at = at.parent;
  return at;
}
