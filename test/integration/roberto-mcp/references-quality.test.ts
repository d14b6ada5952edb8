import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/roberto-mcp/parse/classify.ts';
import { extract } from '../../../src/roberto-mcp/parse/extract.ts';
import type { Extraction } from '../../../src/roberto-mcp/parse/extraction.ts';
import type { LanguageName } from '../../../src/roberto-mcp/parse/languages.ts';
import { startBudget } from '../../../src/roberto-mcp/parse/time-budget.ts';
import { drawFiles } from './compare-definitions.ts';
import { REFERENCE_CORPORA, missingCorpus } from './corpora.ts';
import { type TextKind, textKinds } from './text-kinds.ts';

/** Kinds of words that are not names, or that the index intentionally excludes. */
type Difference =
  | 'a comment'
  | 'a text'
  | 'a sign before a text'
  | 'a regular expression'
  | 'a macro or a line of the preprocessor'
  | 'a label'
  | 'a keyword'
  | 'broken syntax'
  | 'unexplained';

const KEYWORDS: Partial<Readonly<Record<LanguageName, RegExp>>> = {
  typescript:
    /^(?:type|of|get|set|as|is|default|from|async|static|declare|namespace|module|new|this|super|any|string|number|boolean|symbol|object|unknown|never|void|undefined|null|true|false|const|in|out|readonly|abstract|override|satisfies|keyof|infer|asserts|global|require|unique|import|delete|return|catch|constructor|if|function|enum)$/u,
  python: /^(?:type|match|case|_|print|exec)$/u,
  go: /^(?:true|false|nil|iota|_|type|new)$/u,
  rust: /^(?:self|super|crate|Self|union|default|auto|_|true|false|dyn|macro_rules|str|bool|char|u8|u16|u32|u64|u128|usize|i8|i16|i32|i64|i128|isize|f32|f64|static|async|await|try|gen|raw|type|match|ref|else|in|if|for|fn|loop|mod|where)$/u,
  java: /^(?:this|super|true|false|null|int|long|boolean|byte|char|short|float|double|void|record|var|class|default)$/u,
  c: /^(?:int|char|long|short|unsigned|signed|float|double|void|bool|size_t|ssize_t|u?int\d+_t|u?intptr_t|ptrdiff_t|char\d+_t|defined|define|true|false|NULL|const|nullptr_t|max_align_t|if|else|inline|extern)$/u,
};

interface Count {
  common: number;
  extra: number;
  readonly missing: Map<Difference, number>;
  readonly samples: string[];
}

/** True if a row belongs to a macro or another line for the C preprocessor. */
function isPreprocessed(lines: readonly string[], row: number): boolean {
  for (let at = row; at >= 0; at -= 1) {
    if (/^\s*#/u.test(lines[at] ?? '')) return true;
    if (!/\\\s*$/u.test(lines[at - 1] ?? '')) return false;
  }
  return false;
}

interface Word {
  readonly language: LanguageName;
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
  readonly word: string;
  readonly kind: TextKind;
  readonly broken: boolean;
}

const RULES: readonly (readonly [Difference, (word: Word, before: string, after: string) => boolean])[] = [
  ['a comment', ({ kind }) => kind === 'comment'],
  ['a text', ({ kind }) => kind === 'text'],
  ['a sign before a text', ({ word }, _, after) => word.length <= 2 && /^#*["']/u.test(after)],
  ['a keyword', ({ language, word }) => KEYWORDS[language]?.test(word) === true],
  [
    'a macro or a line of the preprocessor',
    ({ language, lines, row }) => language === 'c' && isPreprocessed(lines, row),
  ],
  [
    'a macro or a line of the preprocessor',
    ({ language }, before, after) =>
      language === 'rust' && (/\$\w+:$/u.test(before) || (/\$$/u.test(before) && after.startsWith(':'))),
  ],
  [
    'a regular expression',
    ({ language }, before, after) =>
      language === 'typescript' && /(?:^|[(=,:[!&|?{};\s])\/[^/\s*]/u.test(before) && after.includes('/'),
  ],
  [
    'a label',
    ({ language }, before, after) =>
      language === 'go' &&
      (/^\s*$/u.test(before) ? /^:(?!=)/u.test(after) : /\b(?:goto|break|continue)\s+$/u.test(before)),
  ],
  ['broken syntax', ({ broken }) => broken],
];

function differenceOf(word: Word): Difference {
  const line = word.lines[word.row] ?? '';
  const [before, after] = [line.slice(0, word.column), line.slice(word.column + word.word.length)];
  return RULES.find(([, applies]) => applies(word, before, after))?.[0] ?? 'unexplained';
}

const positionsOf = ({ references, definitions }: Extraction): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  const add = (name: string, row: number, column: number): void => {
    const known = found.get(name);
    if (known === undefined) found.set(name, new Set([`${row}:${column}`]));
    else known.add(`${row}:${column}`);
  };
  for (const [name, at] of references)
    for (let index = 0; index < at.length; index += 2) add(name, at[index]!, at[index + 1]!);
  for (const { name, row, column } of definitions) add(name, row, column);
  return found;
};

/** Compares all names that the index finds in one file with the results of `grep -w`. */
async function compareFile(language: LanguageName, file: string, text: string, count: Count): Promise<void> {
  const extraction = await extract(language, text, startBudget(10_000));
  const kindOf = textKinds(language, text);
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lines = text.split('\n');
  const ours = positionsOf(extraction);
  const seen = new Map([...ours].map(([name, positions]) => [name, new Set(positions)]));
  for (const [row, line] of lines.entries())
    for (const { 0: word, index: column } of line.matchAll(/(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
      const known = ours.get(word);
      if (known === undefined) continue;
      if (known.has(`${row}:${column}`)) {
        count.common += 1;
        seen.get(word)?.delete(`${row}:${column}`);
        continue;
      }
      const kind = kindOf((starts[row] ?? 0) + column);
      const broken = extraction.state !== 'parsed';
      const difference = differenceOf({ language, lines, row, column, word, kind, broken });
      count.missing.set(difference, (count.missing.get(difference) ?? 0) + 1);
      if (difference === 'unexplained') count.samples.push(`${file}:${row + 1} ${word}: ${line.trim().slice(0, 80)}`);
    }
  for (const [name, rest] of seen)
    for (const position of rest) {
      count.extra += 1;
      count.samples.push(`only here: ${file}:${position} ${name}`);
    }
}

describe('references against a search for whole words, every difference by kind', () => {
  test.each(REFERENCE_CORPORA)('$language', async ({ language, root, pattern }) => {
    const reason = missingCorpus(root);
    if (reason !== null || root === undefined || !existsSync(root)) {
      console.log(`references of ${language} are not compared: ${reason ?? ''}`);
      return;
    }
    const count: Count = { common: 0, extra: 0, missing: new Map(), samples: [] };
    const files = drawFiles(root, pattern, 120);
    for (const file of files) await compareFile(language, file, decodeText(readFileSync(join(root, file))), count);
    const kinds = [...count.missing].map(([kind, times]) => `${kind} ${times}`).join(', ');
    const random = [...count.samples].filter((_, at) => at % Math.ceil(count.samples.length / 12) === 0);
    console.log(
      `references of ${language}: ${files.length} files, ${count.common} in common, ${count.extra} only here; only in the search: ${kinds}\n${random.join('\n')}`,
    );
    expect(count.common).toBeGreaterThan(1_000);
    expect(count.extra / count.common).toBeLessThan(0.001);
    expect((count.missing.get('unexplained') ?? 0) / count.common).toBeLessThan(0.001);
  });
});
