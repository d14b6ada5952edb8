import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LanguageName } from '../../../src/roberto-mcp/parse/languages.ts';

export const MODULES = join(import.meta.dirname, '../../../node_modules');
const FETCHED = process.env['ROBOSMITH_CORPORA'] ?? join(homedir(), '.cache/robosmith-corpora');

/** The folder of a corpus that `node scripts/fetch-corpora.ts` fetches. */
export const fetched = (name: string): string => join(FETCHED, name);

export const pythonLibrary = (): string | undefined =>
  globSync('/usr/lib/python3.*').find((path) => existsSync(join(path, 'argparse.py')));

/** Says why a corpus cannot be used; null if it can. */
export const missingCorpus = (root: string | undefined): string | null =>
  root === undefined || !existsSync(root) ? 'there are no sources; run: node scripts/fetch-corpora.ts' : null;

export interface ReferenceCorpus {
  readonly language: LanguageName;
  readonly root: string | undefined;
  readonly pattern: string;
}

export const REFERENCE_CORPORA: readonly ReferenceCorpus[] = [
  {
    language: 'typescript',
    root: MODULES,
    pattern: '{zod,ajv,@azure/*,@ai-sdk/*,@jridgewell/*}/{src,lib}/**/*[!d].ts',
  },
  { language: 'python', root: pythonLibrary(), pattern: '**/*.py' },
  { language: 'c', root: MODULES, pattern: '{*,@*/*}/{src,common,deps,lib,include}/**/*.c' },
  { language: 'go', root: fetched('go'), pattern: '**/*[!_test].go' },
  { language: 'rust', root: fetched('rust'), pattern: '**/src/**/*.rs' },
  { language: 'java', root: fetched('java'), pattern: '**/*.java' },
];
