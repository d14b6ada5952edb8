import { extract } from '../parse/extract.ts';
import type { Definition, Extraction } from '../parse/extraction.ts';
import { skippedByName } from '../parse/classify.ts';
import { type LanguageName, languageOf, languageOfPath } from '../parse/languages.ts';

/** One source file at one commit, parsed. */
export interface FileVersion {
  readonly path: string;
  readonly language: LanguageName;
  readonly lines: readonly string[];
  readonly extraction: Extraction;
}

/** A definition together with the version of the file that contains it. */
export interface PlacedDefinition {
  readonly version: FileVersion;
  readonly definition: Definition;
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

/** True if the comparison reads files of this name. */
export const isCode = (path: string): boolean => CODE.has(languageOfPath(path)) && skippedByName(path) === null;

/** Parses the source files among the given texts (by path). Other texts are left out of the result. */
export async function readVersions(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, FileVersion>> {
  const versions = new Map<string, FileVersion>();
  for (const [path, text] of texts) {
    const language = languageOf(path, text);
    if (!CODE.has(language)) continue;
    versions.set(path, { path, language, lines: text.split('\n'), extraction: await extract(language, text) });
  }
  return versions;
}

/** Returns the name of a definition, qualified by its type where it has one: `Shape.area`. */
export function fullName({ extraction: { definitions } }: FileVersion, definition: Definition): string {
  const outer = definitions[definition.parent];
  const receiver = /^func\s*\(\s*\w*\s*\*?\s*(\w+)/u.exec(definition.signature)?.[1];
  const prefix = outer?.name ?? receiver ?? null;
  return prefix === null ? definition.name : `${prefix}.${definition.name}`;
}

export const bodyOf = ({ lines }: FileVersion, { startRow, endRow }: Definition): string =>
  lines.slice(startRow, endRow + 1).join('\n');
