import { withSlashes } from './info-string.ts';

/** A tag that encloses a file or an edit, or a tag that contains the path of the next file. */
export type TagLine =
  | { readonly kind: 'path'; readonly path: string }
  /**
   * A tag around content: `file` encloses the text of a file, `edit` encloses old text to search for. `rest` is the
   * text after the tag on its line.
   */
  | { readonly kind: 'file' | 'edit'; readonly path: string | null; readonly close: string; readonly rest: string };

const PATH_ATTRIBUTE = /\b(?:file[_-]?path|path|file[_-]?name|name|title|src|file)\s*=\s*(?:"([^"]+)"|'([^']+)')/i;

/** Matches tags such as `<file path="src/a.ts">`, which have the path of the enclosed file as an attribute. */
const FILE =
  /^<(file|code|codefile|write_file|create_file|new_file|write|boltAction|lov-write|dyad-write|antArtifact|artifact|document|source_file|ins)\b([^<>]*[^<>/])>(.*)$/is;

/** Matches tags that enclose the text of a file whose path another tag has given. */
const CONTENT = /^<(content|contents|file_content|file_contents|file_text|document_content|code|body)>(.*)$/is;
const PARAMETER =
  /^<((?:\w+:)?parameter) name="(?:content|contents|file_text|code_content|new_content|CodeContent)"[^<>]*>(.*)$/is;

const PATH = /^<(path|file_path|filepath|filename|file_name|target_file|source)>([^<>]+)<\/(\w+)>$/i;
const PATH_PARAMETER =
  /^<(?:\w+:)?parameter name="(?:path|file_path|filepath|filename|target_file|TargetFile)"[^<>]*>([^<>]+)<\/(?:\w+:)?parameter>$/i;

/**
 * Returns the path in a tag such as `<path>src/e.ts</path>`, or an empty string. To avoid backtracking, no character
 * can match two adjacent parts of these patterns.
 */
function pathSaid(line: string): string {
  const [, open = '', path = '', close = ''] = PATH.exec(line) ?? [];
  const said = open.toLowerCase() === close.toLowerCase() ? path : '';
  return (said === '' ? (PATH_PARAMETER.exec(line)?.[1] ?? '') : said).trim();
}

const EDIT = /^<(diff|old_str|old_string|search|original|find)>(.*)$/is;
const EDIT_PARAMETER = /^<((?:\w+:)?parameter) name="(?:old_str|old_string|diff|search)"[^<>]*>(.*)$/is;

const PARTS = [
  [CONTENT, 'file'],
  [PARAMETER, 'file'],
  [EDIT, 'edit'],
  [EDIT_PARAMETER, 'edit'],
] as const;

const pathOf = (attributes: string): string | null => {
  const match = PATH_ATTRIBUTE.exec(attributes);
  const path = match?.[1] ?? match?.[2];
  return path === undefined ? null : withSlashes(path);
};

/**
 * Interprets a tag in a line outside fenced blocks, in the formats of agents and chat programs. Returns null if the
 * line has no such tag. Many tags are recognised only after a tag with a path (`afterPath`).
 */
export function tagLine(whole: string, afterPath: boolean): TagLine | null {
  const line = whole.trim();
  if (!line.startsWith('<')) return null;
  const said = pathSaid(line);
  if (said !== '') return { kind: 'path', path: withSlashes(said) };
  for (const [pattern, kind] of PARTS) {
    const [, name, rest = ''] = afterPath ? (pattern.exec(line) ?? []) : [];
    if (name !== undefined) return { kind, path: null, close: `</${name}>`, rest };
  }
  const [, name, attributes = '', rest = ''] = FILE.exec(line) ?? [];
  const path = name === undefined ? null : pathOf(attributes);
  return name === undefined || path === null ? null : { kind: 'file', path, close: `</${name}>`, rest };
}
