import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { decodeText } from '../src/roberto-mcp/parse/classify.ts';
import { define } from '../src/roberto-mcp/parse/define.ts';
import { loadGrammar } from '../src/roberto-mcp/parse/grammars.ts';
import { hasGrammar, languageOf } from '../src/roberto-mcp/parse/languages.ts';

/** Reads files and finds their definitions, as `ctags` does: no references, no search, nothing on disk. */
async function countDefinitions(files: readonly string[]): Promise<number> {
  let count = 0;
  for (const file of files) {
    const text = decodeText(readFileSync(file));
    const language = languageOf(file, text);
    if (!hasGrammar(language)) continue;
    const { parser, definitions } = await loadGrammar(language);
    const tree = parser.parse(text);
    if (tree === null) continue;
    const source = { language, text, lines: text.split('\n') };
    for (const match of definitions.matches(tree.rootNode)) if (define(source, match) !== null) count += 1;
    tree.delete();
  }
  return count;
}

parentPort?.postMessage(await countDefinitions(workerData as readonly string[]));
