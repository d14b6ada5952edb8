import { collectFindings, type Report } from './finding.ts';
import type { Attributes } from './junit.ts';
import { toNumber } from './place.ts';

const LONGEST_TEXT = 200_000;

const FAILED: ReadonlySet<string> = new Set(['Failed', 'Error', 'Timeout', 'Aborted']);

/** Matches the place in a stack trace of .NET: ` in /project/Sums.cs:line 12`. */
const PLACE = / in (.{1,1000}):line ([0-9]{1,9})/;

/** Collects the results of a document in the format of Visual Studio (`.trx`), which `dotnet test` writes. */
export function trxResults() {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let test: { readonly attributes: Attributes; readonly texts: Map<string, string> } | null = null;
  let element = '';

  const endTest = (): void => {
    if (test === null) return;
    const { attributes, texts } = test;
    const outcome = attributes['outcome'] ?? '';
    test = null;
    if (outcome === 'Passed') counts.passed += 1;
    else if (FAILED.has(outcome)) {
      counts.failed += 1;
      const [, file = null, line = ''] = PLACE.exec(texts.get('StackTrace') ?? '') ?? [];
      const place = { file, line: toNumber(line), column: null };
      findings.add({ ...place, name: attributes['testName'] ?? null, message: texts.get('Message') ?? 'failed' });
    } else counts.skipped += 1;
  };

  return {
    open: (name: string, attributes: Attributes): void => {
      element = name;
      if (name === 'UnitTestResult') test = { attributes, texts: new Map() };
    },
    text: (text: string): void => {
      if (test !== null) test.texts.set(element, ((test.texts.get(element) ?? '') + text).slice(0, LONGEST_TEXT));
    },
    close: (name: string): void => {
      element = '';
      if (name === 'UnitTestResult') endTest();
    },
    report: (problem: string | null): Report => findings.report('trx', counts, problem),
  };
}
