import type { Place } from '#protocol/diagnostic.ts';
import { positionAt } from './line-starts.ts';

/** A file whose text is being compiled. `order` is its position among the sources. */
export interface SourceFile {
  readonly path: string;
  readonly order: number;
  readonly starts: readonly number[];
}

/**
 * Where an object or array of the parsed text stands. Kept beside the values, by identity, so that
 * a value that moves into another node (extend, mixins) still knows its file and line.
 */
export interface Origin {
  readonly file: SourceFile;
  readonly parent: Origin | null;
  /** Key or index in the parent. */
  readonly key: string | number;
  /** Of the key where there is one, else of the value. */
  readonly offset: number;
  /** In written order; empty for arrays. */
  readonly keys: string[];
  /** Of each member: where its key and its value begin (of an array's entries: the value only). */
  readonly offsets: number[];
  /** Made when a member is first looked up; most containers are never asked. */
  index: Map<string, number> | null;
}

export type Origins = ReadonlyMap<object, Origin>;

/** A spot in a parsed file: a container, or a member of one by key (`side` says whether the key or the value is meant). */
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

/** Position of a key among the members, by an index that grows with them. */
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

/** The place of a spot; a member that is not there stands where its container does. */
export function locate(origins: Origins, { container, member, side = 'value' }: Spot): LocatedPlace {
  const origin = origins.get(container);
  if (origin === undefined) throw new Error('bug: a value without an origin');
  const offset = member === undefined ? undefined : memberOffset(origin, member, side);
  if (member === undefined || offset === undefined) return placeAt(origin.file, origin.offset, pointerOf(origin));
  return placeAt(origin.file, offset, memberPointer(origin, member));
}
