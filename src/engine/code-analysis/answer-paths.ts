import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Keys of answers whose values are paths of files. */
const PATH_KEYS: ReadonlySet<string> = new Set(['file', 'path', 'files', 'resolved', 'via', 'from', 'to']);

function* pathsIn(value: JsonValue, isPath: boolean): Generator<string> {
  if (typeof value === 'string') {
    if (isPath) yield value;
  } else if (Array.isArray(value)) for (const one of value as readonly JsonValue[]) yield* pathsIn(one, isPath);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) yield* pathsIn(one, PATH_KEYS.has(key));
}

/** Returns the paths of all files that an answer names. */
export const answerPaths = (data: JsonObject): readonly string[] => [...new Set(pathsIn(data, false))];

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Removes the lines that name one of the paths, each with the lines that are indented below it. */
export function withoutPaths(text: string, paths: readonly string[]): string {
  const kept: string[] = [];
  let below: number | null = null;
  for (const line of text.split('\n')) {
    if (below !== null && line.trim() !== '' && indentOf(line) <= below) below = null;
    if (below === null && paths.some((path) => line.includes(path))) below = indentOf(line);
    if (below === null) kept.push(line);
  }
  return kept.join('\n');
}
