import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Language, Parser, Query } from 'web-tree-sitter';
import { type Grammar, type GrammarName, grammarLanguage } from './languages.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
/**
 * Folder of the grammars in the built program, compressed with Brotli: 23 MB become 1.6 MB. In the repository they are
 * loaded from their npm packages.
 */
const BUILT = join(HERE, 'wasm');

/** Returns the content of a grammar's WebAssembly file. */
function readGrammar({ package: packageName, file }: Grammar): Uint8Array {
  const built = join(BUILT, `${file}.br`);
  if (existsSync(built)) return brotliDecompressSync(readFileSync(built));
  return readFileSync(join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), file));
}

const runtimePath = (): string => {
  const built = join(BUILT, 'web-tree-sitter.wasm');
  return existsSync(built) ? built : createRequire(import.meta.url).resolve('web-tree-sitter/web-tree-sitter.wasm');
};

export interface LoadedGrammar {
  readonly parser: Parser;
  readonly definitions: Query;
  /** Query for references; null if the language has none. */
  readonly names: Query | null;
  readonly errors: Query;
}

let started: Promise<void> | null = null;
const loaded = new Map<GrammarName, Promise<LoadedGrammar>>();

async function load(name: GrammarName): Promise<LoadedGrammar> {
  started ??= Parser.init({ locateFile: runtimePath });
  await started;
  const { grammar, definitions, names } = grammarLanguage(name);
  const language = await Language.load(readGrammar(grammar));
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    parser,
    definitions: new Query(language, definitions),
    names: names.length === 0 ? null : new Query(language, `[${names.map((type) => `(${type})`).join(' ')}] @name`),
    errors: new Query(language, '(ERROR) @error'),
  };
}

/** Loads a grammar and compiles its queries; later calls return the cached result. */
export function loadGrammar(name: GrammarName): Promise<LoadedGrammar> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = load(name);
  loaded.set(name, loading);
  return loading;
}
