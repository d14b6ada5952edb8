import { collectFindings, type LineReader, type Report } from './finding.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((one) => isFields(one)) : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const positionOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

function parse(line: string): Report | null {
  let files: readonly Fields[];
  try {
    files = fieldsIn(JSON.parse(line));
  } catch {
    return null;
  }
  const findings = collectFindings();
  for (const file of files)
    for (const { ruleId, severity, message, line: row, column } of fieldsIn(file['messages']))
      findings.add({
        file: textOf(file['filePath']),
        line: positionOf(row),
        column: positionOf(column),
        rule: textOf(ruleId) || null,
        severity: severity === 1 ? 'warning' : 'error',
        message: textOf(message),
      });
  return findings.report('eslint-json', null);
}

/** Reads the report of `eslint -f json`, which is one line. */
export function eslintJsonReader(): LineReader {
  let report: Report | null = null;
  return {
    isLong: true,
    line: (line) => {
      if (line.startsWith('[{"filePath":')) report = parse(line) ?? report;
    },
    report: () => report,
  };
}
