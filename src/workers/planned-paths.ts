import type { JsonValue } from '#protocol/json.ts';
import { isSignalLine, LONGEST_MARK } from './answer/answer-lines.ts';
import { fences } from './code-blocks.ts';

/** No plan is longer. */
const MOST = 10_000;

const PATH_KEYS = ['path', 'file', 'file_path', 'filename'];

const pathOf = (value: JsonValue): string | null => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const table = value as Readonly<Record<string, JsonValue>>;
  const found = PATH_KEYS.map((key) => (Object.hasOwn(table, key) ? table[key] : undefined));
  return found.find((one) => typeof one === 'string') ?? null;
};

function inJson(text: string): readonly string[] | null {
  try {
    const value = JSON.parse(text) as JsonValue | { readonly files?: JsonValue };
    const list =
      typeof value === 'object' && value !== null && !Array.isArray(value) && 'files' in value ? value.files : value;
    if (!Array.isArray(list)) return null;
    const paths = list.map(pathOf);
    return paths.every((path) => path !== null) ? paths : null;
  } catch {
    return null;
  }
}

/** `- src/a.ts`, `1. src/a.ts (new)`; null: the line is no path. */
function inLine(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  const bare = line
    .trim()
    .replace(/^(?:[-*+] |\d{1,4}[.)] )\s*/, '')
    .replace(/^[`"'](.+)[`"'],?$/, '$1')
    .replace(/ +\([^()]*\)$/, '')
    .replace(/^`([^`]+)`.*$/, '$1')
    .trim();
  return bare === '' || /\s/.test(bare) ? null : bare;
}

/** The paths that a NEW_FILES_IDENTIFIED segment names: a JSON list, fenced or not, or one path a line. Null: it names none. */
export function plannedPaths(content: string): readonly string[] | null {
  const [only, ...others] = fences(content);
  const lines = (only !== undefined && others.length === 0 ? only.lines : content.split(/\r?\n/)).filter(
    (line) => !isSignalLine(line) && line.trim() !== '',
  );
  const paths = inJson(lines.join('\n')) ?? lines.map(inLine).filter((path) => path !== null);
  return paths.length === 0 || paths.length > MOST ? null : paths;
}
