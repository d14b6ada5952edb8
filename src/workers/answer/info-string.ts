import { isFileName } from './languages.ts';

/** The data in the info string of a fence (the text after the opening backticks). */
interface Info {
  /** The language in lower case, or an empty string if there is none. */
  readonly language: string;
  readonly path: string | null;
  /** True if the info string names a range of lines, so that the block holds only a part of the file. */
  readonly isPart: boolean;
}

/** Matches `path=…` and similar keys, whose value is always a path. */
const NAMED = /(?:^|[\s{,])(?:path|file[_-]?(?:name|path)?)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s{},"']+))/i;
/** Matches `title=…`, whose value is a path only if it looks like a file name. */
const TITLED = /(?:^|[\s{,])title\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s{},"']+))/i;

const firstOf = (match: RegExpExecArray | null): string | null =>
  match === null ? null : (match.slice(1).find((group) => group !== undefined) ?? null);

/** Matches references to a part of a file: `12:15:src/a.ts`, `src/a.ts:10-20`, `src/a.ts#L10`, `lines 10-20`. */
const PART =
  /(?:^|\s)\d+:\d+:\S|\.[A-Za-z]\w*(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)(?=\s|$)|\b(?:lines?|startline)\s*[=:]?\s*\d+/i;

/** Replaces backslashes in a path by slashes. */
export const withSlashes = (path: string): string => path.replaceAll('\\', '/');

/** Returns true for a file name, and for a path with folders whose last part has no extension. */
const isPath = (word: string): boolean => isFileName(word) || /^(?:[\w.@~-]+\/)+[\w.@-]*\w$/.test(word);

function pathIn(info: string): string | null {
  const named = firstOf(NAMED.exec(info));
  if (named !== null) return named;
  const titled = firstOf(TITLED.exec(info));
  if (titled !== null) return isFileName(withSlashes(titled)) ? titled : null;
  const words = info.split(/[\s:]+/).filter((word) => word !== '');
  const first = words[0] ?? '';
  // A first word without a dot or separator, such as `dockerfile`, is treated as a language, although files with such
  // names exist.
  return (
    words.find((word) =>
      word === first ? /[./\\]/.test(word) && isFileName(withSlashes(word)) : isPath(withSlashes(word)),
    ) ?? null
  );
}

/**
 * Reads an info string. Examples: `ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `path=src/a.ts`, `ts title="src/a.ts"`, `ts
 * // src/a.ts`.
 */
export function readInfo(info: string): Info {
  const isPart = PART.test(info);
  const bare = info.replace(/(?:^|\s)\d+:\d+:(?=\S)/, ' ').replace(/#L\d+(?:-L?\d+)?/, '');
  const path = pathIn(bare);
  const [word = ''] = info.split(/[\s:{,]+/);
  return {
    language: word === path ? '' : word.toLowerCase(),
    path: path === null ? null : withSlashes(path),
    isPart,
  };
}
