import { ERROR_EXIT_CODES } from '../../../src/cli/terminal/error-exit-codes.ts';
import { ERROR_CODES } from '../../../src/protocol/error.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { generatedPage, table } from './markdown.ts';

/** Generates docs/reference/errors.md: the sections of `schemas/errors.md`, and the exit code of each error. */
export async function errorsReference(text: string): Promise<GeneratedFile> {
  const rows = ERROR_CODES.map((code) => [`[\`${code}\`](#${code})`, String(ERROR_EXIT_CODES[code])]);
  const first = text.indexOf('\n## ');
  const body = [
    text.slice(0, first).replace(/ \[docs\/reference\/errors\.md\][^\n]*/, ''),
    table(['code', 'exit code of the command line'], rows),
    text.slice(first),
  ].join('\n\n');
  return generatedPage('docs/reference/errors.md', 'schemas/errors.md', body);
}
