import { extract } from '../parse/extract.ts';
import type { Definition, Extraction } from '../parse/extraction.ts';
import { type LanguageName, languageOf } from '../parse/languages.ts';

/** One file at one commit, read. */
export interface FileVersion {
  readonly path: string;
  readonly language: LanguageName;
  readonly lines: readonly string[];
  readonly extraction: Extraction;
}

const CODE = new Set<LanguageName>([
  'c',
  'cpp',
  'csharp',
  'go',
  'java',
  'javascript',
  'kotlin',
  'php',
  'python',
  'ruby',
  'rust',
  'svelte',
  'tsx',
  'typescript',
  'vue',
]);

/** Reads the code among the texts. */
export async function readVersions(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, FileVersion>> {
  const versions = new Map<string, FileVersion>();
  for (const [path, text] of texts) {
    const language = languageOf(path, text);
    if (!CODE.has(language)) continue;
    versions.set(path, { path, language, lines: text.split('\n'), extraction: await extract(language, text) });
  }
  return versions;
}

/** The name of a definition with those of all that encloses it: `Shape.area`. */
export function fullName({ extraction: { definitions } }: FileVersion, definition: Definition): string {
  const outer = definitions[definition.parent];
  const receiver = /^func\s*\(\s*\w*\s*\*?\s*(\w+)/u.exec(definition.signature)?.[1];
  const prefix =
    outer === undefined ? (receiver ?? null) : definitions[outer.parent] === undefined ? outer.name : `${outer.name}`;
  return prefix === null ? definition.name : `${prefix}.${definition.name}`;
}

export const bodyOf = ({ lines }: FileVersion, { startRow, endRow }: Definition): string =>
  lines.slice(startRow, endRow + 1).join('\n');
