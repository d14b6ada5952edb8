import type { GeneratedFile } from '../generated-file.ts';
import { generatedPage } from './markdown.ts';

const INTRODUCTION =
  'These are the findings of `robosmith validate` and of the editors. A code never changes its meaning; a retired one is not used again.';

/** Generates docs/reference/diagnostics.md: the sections of `schemas/diagnostics.md`. */
export async function diagnosticsReference(text: string): Promise<GeneratedFile> {
  const ranges = text.slice(text.indexOf('\n| range '));
  const body = `# Diagnostics of the compiler\n\n${INTRODUCTION}\n${ranges.replaceAll(/^- (severity|message|advice): /gm, '- **$1**: ')}`;
  return generatedPage('docs/reference/diagnostics.md', 'schemas/diagnostics.md', body);
}
