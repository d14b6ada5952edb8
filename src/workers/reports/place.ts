import { NOWHERE, type ReportedPlace } from './finding.ts';

const LONGEST = 1_000;
const MOST_LINES = 200;

/** Parses a line or column number, or returns null for any other text. */
export const toNumber = (text: string): number | null => (/^[0-9]{1,9}$/.test(text) ? Number(text) : null);

/** Parses a text that is exactly `file:3:4` or `file:3`, or returns null. */
export function readPlace(text: string): ReportedPlace | null {
  const last = text.lastIndexOf(':');
  const end = toNumber(text.slice(last + 1));
  if (last <= 0 || end === null) return null;
  const before = text.lastIndexOf(':', last - 1);
  const middle = before <= 0 ? null : toNumber(text.slice(before + 1, last));
  return middle === null
    ? { file: text.slice(0, last), line: end, column: null }
    : { file: text.slice(0, before), line: middle, column: end };
}

/**
 * Returns the text of the place in a line of a stack trace, or null. Examples: `at f (file:3:4)`, `at file:3:4`, `❯
 * file:3:4`.
 */
function pointed(line: string): string | null {
  const text = line.trim();
  const open = text.lastIndexOf('(');
  if (open >= 0 && text.endsWith(')')) return text.slice(open + 1, -1);
  for (const sign of ['at async ', 'at ', '❯ '])
    if (text.startsWith(sign))
      return text.slice(
        text.lastIndexOf(' ') >= sign.length && sign === '❯ ' ? text.lastIndexOf(' ') + 1 : sign.length,
      );
  return null;
}

/** Returns true for files of Node and of dependencies, which are not places in the project, and for numbers. */
const isForeign = (file: string): boolean =>
  file.startsWith('node:') || file.includes('node_modules/') || !/[^0-9]/.test(file);

/** Matches stack frames of the Java runtime and of assertion libraries. */
const FOREIGN_FRAME =
  /^at (?:app\/\/)?(?:java\.|jdk\.|org\.(?:junit|opentest4j|assertj|hamcrest|testng|mockito)\.|junit\.framework\.|kotlin\.test\.)/;

/** Reads the last line of a pytest trace, such as `test_a.py:14: AssertionError`. */
function leading(line: string): ReportedPlace | null {
  const end = line.indexOf(': ');
  const place = end <= 0 || line.startsWith(' ') ? null : readPlace(line.slice(0, end));
  return place?.file?.includes(' ') === true ? null : place;
}

/** Returns the first place within the project that a stack trace mentions. */
export function placeIn(trace: string): ReportedPlace {
  for (const line of trace.split('\n', MOST_LINES)) {
    if (line.length > LONGEST || FOREIGN_FRAME.test(line.trimStart())) continue;
    const text = pointed(line);
    const place = text === null ? leading(line) : readPlace(text);
    const file = place?.file ?? null;
    if (place !== null && file !== null && !isForeign(file)) return place;
  }
  return NOWHERE;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function fromUrl(file: string): string {
  if (!file.startsWith('file://')) return file;
  const path = decoded(file.slice('file://'.length));
  // The slash before the drive in `file:///C:/a.js` belongs to the URL, not to the path.
  return DRIVE.test(path.slice(1)) ? path.slice(1) : path;
}

const DRIVE = /^[A-Za-z]:[/\\]/;

/**
 * Returns a function that makes paths within the worktree relative, with `/` as separator; other paths stay unchanged.
 * On Windows, case is ignored.
 */
export function relativeTo(root: string) {
  const isWindows = DRIVE.test(root) || root.startsWith('\\\\');
  const fold = (text: string): string => (isWindows ? text.toLowerCase() : text);
  const slashed = isWindows ? root.replaceAll('\\', '/') : root;
  const inside = slashed.endsWith('/') ? slashed : `${slashed}/`;
  return (reported: string): string => {
    const path = fromUrl(reported);
    const file = isWindows ? path.replaceAll('\\', '/') : path;
    const local = fold(file.slice(0, inside.length)) === fold(inside) ? file.slice(inside.length) : file;
    return local.startsWith('./') ? local.slice(2) : local;
  };
}
