import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeText, MAX_FILE_BYTES } from '../../../src/roberto-mcp/parse/classify.ts';
import { extract } from '../../../src/roberto-mcp/parse/extract.ts';
import type { SymbolKind } from '../../../src/roberto-mcp/parse/extraction.ts';
import { type LanguageName, languageOf } from '../../../src/roberto-mcp/parse/languages.ts';
import { startBudget } from '../../../src/roberto-mcp/parse/time-budget.ts';

export type SymbolGroup = 'functions' | 'types';

const GROUPS: Partial<Readonly<Record<SymbolKind, SymbolGroup>>> = {
  function: 'functions',
  method: 'functions',
  constructor: 'functions',
  class: 'types',
  enum: 'types',
  interface: 'types',
  struct: 'types',
  trait: 'types',
  type: 'types',
};

/** A definition in a format that can be compared between two tools. */
export interface Found {
  readonly group: SymbolGroup;
  readonly file: string;
  readonly name: string;
  readonly line: number;
  /** True for a definition inside a function, which other tools leave out. */
  readonly local: boolean;
}

export interface Comparison {
  readonly group: SymbolGroup;
  readonly common: number;
  /** The definitions that only the other tool found. */
  readonly missing: readonly Found[];
  /** The definitions that only RoboSmith's index found. */
  readonly extra: readonly Found[];
}

const keyOf = ({ group, file, name }: Found): string => `${group}\0${file}\0${name}`;

export function compare(ours: readonly Found[], theirs: readonly Found[]): readonly Comparison[] {
  const unique = (list: readonly Found[]): Map<string, Found> => new Map(list.map((one) => [keyOf(one), one]));
  const [a, b] = [unique(ours), unique(theirs)];
  return (['functions', 'types'] as const).map((group) => ({
    group,
    common: [...a].filter(([key, one]) => one.group === group && b.has(key)).length,
    missing: [...b].filter(([key, one]) => one.group === group && !a.has(key)).map(([, one]) => one),
    extra: [...a].filter(([key, one]) => one.group === group && !b.has(key)).map(([, one]) => one),
  }));
}

/** Returns up to `limit` source files, selected evenly from a folder, so that a run takes seconds. */
export function drawFiles(root: string, pattern: string, limit: number): readonly string[] {
  const all = globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => {
      const stats = statSync(join(root, path));
      return stats.isFile() && stats.size > 0 && stats.size < MAX_FILE_BYTES;
    })
    .sort();
  const step = Math.max(1, all.length / limit);
  return Array.from({ length: Math.min(limit, all.length) }, (_, index) => all[Math.floor(index * step)]!);
}

export async function ourDefinitions(
  root: string,
  files: readonly string[],
  language?: LanguageName,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const file of files) {
    const text = decodeText(readFileSync(join(root, file)));
    const { definitions } = await extract(language ?? languageOf(file, text), text, startBudget(10_000));
    const isLocal = (parent: number): boolean => {
      const outer = definitions[parent];
      return outer !== undefined && (GROUPS[outer.kind] === 'functions' || isLocal(outer.parent));
    };
    for (const { kind, name, row, parent, approximate } of definitions) {
      const group = GROUPS[kind];
      if (group === undefined || approximate) continue;
      found.push({ group, file, name: name.replace(/^#/u, ''), line: row + 1, local: isLocal(parent) });
    }
  }
  return found;
}

interface Tag {
  readonly _type: string;
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly line: number;
}

export const hasUniversalCtags = (): boolean => {
  try {
    return execFileSync('ctags', ['--version'], { encoding: 'utf8' }).includes('Universal Ctags');
  } catch {
    return false;
  }
};

export function ctagsDefinitions(
  root: string,
  files: readonly string[],
  language: string,
  groups: Readonly<Record<string, SymbolGroup>>,
): readonly Found[] {
  const output = execFileSync(
    'ctags',
    ['--output-format=json', '--fields=+nK', `--language-force=${language}`, '-L', '-', '-f', '-'],
    {
      cwd: root,
      input: files.join('\n'),
      encoding: 'utf8',
      maxBuffer: 512 * 1_048_576,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  return output.split('\n').flatMap((line): readonly Found[] => {
    if (line === '') return [];
    const tag = JSON.parse(line) as Tag;
    const group = groups[tag.kind];
    if (tag._type !== 'tag' || group === undefined || tag.name.startsWith('__anon')) return [];
    return [
      {
        group,
        file: tag.path,
        name: tag.name.replace(/^operator\s+(?=\W)/u, 'operator'),
        line: tag.line,
        local: false,
      },
    ];
  });
}
