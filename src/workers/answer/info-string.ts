import { isFileName } from './languages.ts';

/** What a fence says of its block. */
export interface Info {
  /** In lower case; empty: none. */
  readonly language: string;
  readonly path: string | null;
  /** It names lines of a file: a part of it. */
  readonly isPart: boolean;
}

/** With one of these words anything is a path … */
const NAMED = /(?:^|[\s{,])(?:path|file[_-]?(?:name|path)?)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s{},"']+))/i;
/** … and with this one, what looks like a file. */
const TITLED = /(?:^|[\s{,])title\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s{},"']+))/i;

const firstOf = (match: RegExpExecArray | null): string | null =>
  match === null ? null : (match.slice(1).find((group) => group !== undefined) ?? null);

/** `12:15:src/a.ts`, `src/a.ts:10-20`, `src/a.ts#L10`, `lines 10-20`. */
const PART =
  /(?:^|\s)\d+:\d+:\S|\.[A-Za-z]\w*(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)(?=\s|$)|\b(?:lines?|startline)\s*[=:]?\s*\d+/i;

/** Windows writes its folders with "\". */
export const withSlashes = (path: string): string => path.replaceAll('\\', '/');

/** After the language a name without an ending is one as well, where folders come before it. */
const isPath = (word: string): boolean => isFileName(word) || /^(?:[\w.@~-]+\/)+[\w.@-]*\w$/.test(word);

function pathIn(info: string): string | null {
  const named = firstOf(NAMED.exec(info));
  if (named !== null) return named;
  const titled = firstOf(TITLED.exec(info));
  if (titled !== null) return isFileName(withSlashes(titled)) ? titled : null;
  const words = info.split(/[\s:]+/).filter((word) => word !== '');
  const first = words[0] ?? '';
  // A name without an ending is a language where it stands alone.
  return (
    words.find((word) =>
      word === first ? /[./\\]/.test(word) && isFileName(withSlashes(word)) : isPath(withSlashes(word)),
    ) ?? null
  );
}

/** `ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `path=src/a.ts`, `ts title="src/a.ts"`, `ts // src/a.ts`. */
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
