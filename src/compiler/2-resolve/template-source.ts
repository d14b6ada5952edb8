import type { ManifestSource } from '#protocol/compiled.ts';
import { TEMPLATES } from '../generated/templates.gen.ts';

/** The prefix of an import that names a ready-made workflow instead of a file. */
const PREFIX = 'robosmith:';

export const isTemplateImport = (path: string): boolean => path.startsWith(PREFIX);

/** Returns the source of a ready-made workflow by its import, `robosmith:<name>`; null if there is none of that name. */
export function templateSource(path: string): ManifestSource | null {
  const name = path.slice(PREFIX.length);
  const template = isTemplateImport(path) && Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  return template === undefined ? null : { path, text: template.text };
}
