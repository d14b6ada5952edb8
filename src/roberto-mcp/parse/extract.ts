import { addName, sortPositions } from './collect-names.ts';
import type { SourceText } from './define.ts';
import { scriptsOnly, templateNames } from './embedded-scripts.ts';
import type { Extraction, SearchChunk } from './extraction.ts';
import { grammarLanguage, hasGrammar, type LanguageName } from './languages.ts';
import { markdownHeadings } from './markdown.ts';
import { nest } from './nest.ts';
import { type GrammarReading, readWithGrammar } from './read-grammar.ts';
import { startBudget, type TimeBudget } from './time-budget.ts';
import { searchTokens } from './split-words.ts';

/**
 * Number of lines per search chunk: small enough to show as a hit, large enough for the words of a query to occur
 * together.
 */
const CHUNK_LINES = 40;

/** Splits a text into chunks of lines with their search tokens. Chunks without words are left out. */
function chunkText(lines: readonly string[]): readonly SearchChunk[] {
  const chunks: SearchChunk[] = [];
  for (let start = 0; start < lines.length; start += CHUNK_LINES) {
    const end = Math.min(lines.length, start + CHUNK_LINES);
    const tokens = searchTokens(lines.slice(start, end).join('\n'));
    if (tokens !== '') chunks.push({ startRow: start, endRow: end - 1, tokens });
  }
  return chunks;
}

const PAGES = new Set<LanguageName>(['html', 'svelte', 'vue']);

const DEFAULT_DEPTH = 12;

function joined(page: GrammarReading, script: GrammarReading): GrammarReading {
  for (const [name, positions] of script.names) {
    const known = page.names.get(name);
    if (known === undefined) page.names.set(name, positions);
    else known.push(...positions);
  }
  return {
    ...script,
    state: page.state === 'aborted' ? 'aborted' : script.state,
    found: [...page.found, ...script.found],
    names: page.names,
  };
}

const EMPTY: Omit<GrammarReading, 'names'> = {
  state: 'parsed',
  found: [],
  imports: [],
  exports: [],
  exportRanges: [],
  packageName: '',
};

async function readPage(source: SourceText, budget: TimeBudget): Promise<GrammarReading> {
  const { language, text, lines } = source;
  const page = hasGrammar(language)
    ? await readWithGrammar(language, source, budget)
    : { ...EMPTY, names: new Map<string, number[]>() };
  const script = scriptsOnly(text);
  const reading =
    script === null
      ? page
      : joined(
          page,
          await readWithGrammar(script.language, { language: script.language, text: script.text, lines }, budget),
        );
  if (language !== 'html')
    for (const { name, row, column } of templateNames(text)) addName(reading.names, name, row, column);
  sortPositions(reading.names);
  return reading;
}

async function readSource(source: SourceText, budget: TimeBudget): Promise<GrammarReading> {
  if (PAGES.has(source.language)) return readPage(source, budget);
  if (!hasGrammar(source.language)) return { ...EMPTY, state: 'text', names: new Map() };
  const reading = await readWithGrammar(source.language, source, budget);
  if (source.language === 'css') sortPositions(reading.names);
  return reading;
}

/**
 * Extracts definitions, references, imports and search tokens from a text. Does not reject, whatever the text contains.
 */
export async function extract(
  language: LanguageName,
  text: string,
  budget: TimeBudget = startBudget(),
): Promise<Extraction> {
  const lines = text.split('\n');
  const chunks = chunkText(lines);
  if (language === 'markdown') {
    const definitions = markdownHeadings(text);
    return {
      state: 'parsed',
      lines: lines.length,
      definitions,
      references: new Map(),
      imports: [],
      exports: [],
      packageName: '',
      chunks,
    };
  }
  const { state, found, names, imports, exports, exportRanges, packageName } = await readSource(
    { language, text, lines },
    budget,
  );
  const maxDepth = hasGrammar(language) ? grammarLanguage(language).maxDepth : DEFAULT_DEPTH;
  const definitions = nest({ language, maxDepth, found, exportRanges, exports });
  return { state, lines: lines.length, definitions, references: names, imports, exports, packageName, chunks };
}
