import type { SegmentDraft } from '#protocol/payload.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Finding, Report } from '../reports/finding.ts';

/** More of them help nobody, and a model pays for each. */
const MOST_SEGMENTS = 50;

const place = ({ file, line, column }: Finding): string =>
  file === null ? '' : [file, line, column].filter((part) => part !== null).join(':');

/** Only what is known. */
const metaOf = (finding: Finding): JsonObject =>
  Object.fromEntries<JsonValue>(Object.entries(finding).filter(([, value]) => value !== null));

function segment(type: string, finding: Finding): SegmentDraft {
  const { name, rule, severity, message } = finding;
  const head = [place(finding), severity === 'warning' ? severity : null, rule, name].filter(Boolean).join(' ');
  return { type, content: head === '' ? message : `${head}\n${message}`, meta: metaOf(finding) };
}

/** One each, the first ones; the errors before the warnings. */
export function findingSegments(type: string, { findings }: Report): readonly SegmentDraft[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return [...errors, ...warnings].slice(0, MOST_SEGMENTS).map((finding) => segment(type, finding));
}

/** For the meta of the result's own segment. */
export const reportMeta = ({ format, found, counts }: Report): JsonObject => ({
  format,
  errors: found.errors,
  warnings: found.warnings,
  ...(counts === null ? {} : { tests: { ...counts } }),
});
