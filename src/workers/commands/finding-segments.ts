import type { SegmentDraft } from '#protocol/payload.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Finding, Report } from '../reports/finding.ts';

/** Maximum number of findings that become segments. More would only increase the cost of a model's prompt. */
const MOST_SEGMENTS = 50;

const place = ({ file, line, column }: Finding): string =>
  file === null ? '' : [file, line, column].filter((part) => part !== null).join(':');

/** Returns the fields of a finding that are not null. */
const metaOf = (finding: Finding): JsonObject =>
  Object.fromEntries<JsonValue>(Object.entries(finding).filter(([, value]) => value !== null));

function segment(type: string, finding: Finding): SegmentDraft {
  const { name, rule, severity, message } = finding;
  const head = [place(finding), severity === 'warning' ? severity : null, rule, name].filter(Boolean).join(' ');
  return { type, content: head === '' ? message : `${head}\n${message}`, meta: metaOf(finding) };
}

/** Returns one segment per finding, up to the maximum, errors before warnings. */
export function findingSegments(type: string, { findings }: Report): readonly SegmentDraft[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return [...errors, ...warnings].slice(0, MOST_SEGMENTS).map((finding) => segment(type, finding));
}

/** Returns the metadata about a report for the segment of the command's result. */
export const reportMeta = ({ format, found, counts }: Report): JsonObject => ({
  format,
  errors: found.errors,
  warnings: found.warnings,
  ...(counts === null ? {} : { tests: { ...counts } }),
});
