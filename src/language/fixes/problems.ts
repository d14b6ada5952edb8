import type { Severity } from '#protocol/diagnostic.ts';
import { spanOfDiagnostic } from '../find/node-at.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { Location, Range } from '../text/place.ts';

/** A diagnostic of the compiler with its range in a manifest file. */
export interface Problem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly advice: string;
  readonly range: Range;
  readonly related: readonly (Location & { readonly message: string })[];
}

/** Returns the compiler's diagnostics by file. A file without diagnostics has an empty list, which clears old ones. */
export function problems(project: ManifestProject): ReadonlyMap<string, readonly Problem[]> {
  const found = new Map<string, Problem[]>(project.documents.map(({ path }) => [path, []]));
  for (const diagnostic of project.diagnostics) {
    const document = project.document(diagnostic.file);
    if (document === null) continue;
    const related = diagnostic.related.flatMap(({ file, line, column, message }) => {
      const start = { line: line - 1, character: column - 1 };
      return [{ file, message, range: { start, end: start } }];
    });
    const { code, severity, message, advice } = diagnostic;
    const range = document.rangeOf(spanOfDiagnostic(document, diagnostic));
    found.get(diagnostic.file)?.push({ code, severity, message, advice, range, related });
  }
  return found;
}
