import { isFileName, isQuotedPath } from './languages.ts';

/** The data in the info string of a fence (the text after the opening backticks). */
export interface Info {
  /** The language in lower case, or an empty string if there is none. */
  readonly language: string;
  readonly path: string | null;
  /** True if the path is written as `path=…`, the form that models are asked for. */
  readonly isAsked: boolean;
  /** True if the info string marks the block as an example. */
  readonly isExample: boolean;
  /** True if the info string also names a range of lines, so that the block is a part of the file. */
  readonly isPart: boolean;
}

/** Matches `path=…` and similar keys, whose value is a path. */
const NAMED = /(?:^|[\s{,])(path|file[_-]?(?:name|path)?|title)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s{},"']+))/i;

/** Matches references to a part of a file: `12:15:src/a.ts`, `src/a.ts:10-20`, `src/a.ts#L10`, `lines 10-20`. */
const PART =
  /(?:^|\s)\d+:\d+:\S|\.[A-Za-z]\w*(?::\d+(?:-\d+)?|#L\d+(?:-L?\d+)?)(?=\s|$)|\b(?:lines?|startline)\s*[=:]?\s*\d+/i;

/** Replaces backslashes in a path by slashes. */
export const withSlashes = (path: string): string => path.replaceAll('\\', '/');

function bareWordIn(info: string): string | null {
  const words = info.split(/[\s:]+/).filter((word) => word !== '');
  const first = words[0] ?? '';
  // A first word without a dot or separator, such as `dockerfile`, is treated as a language, although files with such
  // names exist.
  return (
    words.find((word) =>
      word === first ? /[./\\]/.test(word) && isFileName(withSlashes(word)) : isQuotedPath(withSlashes(word)),
    ) ?? null
  );
}

/**
 * Reads an info string. Examples: `ts path=src/a.ts`, `ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `ts title="src/a.ts"`,
 * `ts // src/a.ts`, `sh example`.
 */
export function readInfo(info: string): Info {
  const bare = info.replace(/(?:^|\s)\d+:\d+:(?=\S)/, ' ').replace(/#L\d+(?:-L?\d+)?/, '');
  const [, key = '', ...values] = NAMED.exec(bare) ?? [];
  const value = values.find((one) => one !== undefined) ?? null;
  const named = key.toLowerCase() !== 'title' || isFileName(withSlashes(value ?? '')) ? value : null;
  const path = named ?? bareWordIn(bare);
  const [word = ''] = info.split(/[\s:{,]+/);
  return {
    language: word === path || word.includes('=') ? '' : word.toLowerCase(),
    path: path === null ? null : withSlashes(path),
    isAsked: named !== null && key.toLowerCase() === 'path',
    isExample: path === null && /\sexample$/i.test(info),
    isPart: PART.test(info),
  };
}
