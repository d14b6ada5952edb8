import type { SessionId } from '#protocol/id.ts';
import { escapeGlob, foldersAbove, globsMeet, type GlobPattern, namedIn, readGlob } from './glob-pattern.ts';

/** The files that a session plans to change or has changed. */
export interface SessionPaths {
  readonly session: SessionId;
  /** Paths and globs, with `/`. */
  readonly paths: readonly string[];
}

/** Two sessions that name the same files. */
export interface DirectClash {
  readonly sessions: readonly [SessionId, SessionId];
  /** The paths as written; two globs that overlap are written `<one> & <other>`. */
  readonly files: readonly string[];
}

interface SessionGlobs {
  readonly session: SessionId;
  readonly paths: ReadonlyMap<string, string>;
  readonly globs: readonly GlobPattern[];
  /** All folders that contain the claim's paths. */
  readonly folders: ReadonlySet<string>;
  /** The folders that contain everything that the claim's globs match. */
  readonly above: ReadonlySet<string>;
}

/** The maximum number of files listed for a pair. */
const MOST_FILES = 50;

function* foldersOf(path: string): Generator<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at);
}

function readClaim({ session, paths }: SessionPaths, foldCase: boolean): SessionGlobs {
  const patterns = paths.flatMap(namedIn).map((path) => readGlob(path, foldCase));
  const own = new Map(patterns.flatMap(({ path, text }) => (path === null ? [] : [[path, text] as const])));
  const globs = patterns.filter(({ path }) => path === null);
  return {
    session,
    paths: own,
    globs,
    folders: new Set(Array.from(own.keys(), (path) => [...foldersOf(path)]).flat()),
    above: new Set(globs.flatMap(foldersAbove)),
  };
}

/** Yields paths that both claims name, and paths that are a folder in one and a file in the other. */
function* samePaths(one: SessionGlobs, other: SessionGlobs): Generator<string> {
  for (const [path, text] of one.paths)
    if (other.paths.has(path) || other.folders.has(path)) yield text;
    else
      for (const folder of foldersOf(path)) {
        const file = other.paths.get(folder);
        if (file !== undefined) yield file;
      }
}

/** Yields paths of one claim that are a folder above a glob of the other. */
function* aboveGlobs(one: SessionGlobs, other: SessionGlobs): Generator<string> {
  for (const [path, text] of one.paths) if (other.above.has(path)) yield text;
}

function* metByGlobs(one: SessionGlobs, other: SessionGlobs): Generator<string> {
  for (const glob of one.globs)
    for (const [path, text] of other.paths) if (globsMeet(glob, readGlob(escapeGlob(path), false))) yield text;
}

function* shared(one: SessionGlobs, other: SessionGlobs): Generator<string> {
  yield* samePaths(one, other);
  yield* aboveGlobs(one, other);
  yield* aboveGlobs(other, one);
  yield* metByGlobs(one, other);
  yield* metByGlobs(other, one);
  for (const a of one.globs)
    for (const b of other.globs) if (globsMeet(a, b)) yield a.text === b.text ? a.text : `${a.text} & ${b.text}`;
}

function firstOf(found: Iterable<string>): readonly string[] {
  const files = new Set<string>();
  for (const file of found) {
    files.add(file);
    if (files.size >= MOST_FILES) break;
  }
  return [...files];
}

/** Finds every pair of sessions whose plans share a file, in the order of the claims. */
export function findClashes(claims: readonly SessionPaths[], foldCase: boolean): readonly DirectClash[] {
  const read = claims.map((claim) => readClaim(claim, foldCase));
  return read.flatMap((one, index) =>
    read.slice(index + 1).flatMap((other) => {
      const files = firstOf(shared(one, other));
      return files.length === 0 ? [] : [{ sessions: [one.session, other.session] as const, files }];
    }),
  );
}
