import { parseJsonObject } from '#protocol/json.ts';
import { failurePart } from './failure-part.ts';
import { collectFindings, NOWHERE, type ReportedPlace, type Report } from './finding.ts';
import { placeIn } from './place.ts';
import { messageBefore, placeInFile } from './stack-trace.ts';

type Fields = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Folders of dependencies, whose files are not places in the project. */
const FOREIGN =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|\.venv|vendor|gems|lib[/\\](?:python|ruby)[^/\\]*)[/\\]/;

/** Returns the first place within the project of a list of files and lines, the innermost first. */
function placeAmong(places: unknown, isInside: (file: string) => boolean): ReportedPlace | null {
  for (const place of listOf(places)) {
    const [file, line] = listOf(place);
    if (typeof file === 'string' && isInside(file) && !FOREIGN.test(file))
      return { file, line: number(line), column: null };
  }
  return null;
}

function placeOf(record: Fields, isInside: (file: string) => boolean): ReportedPlace {
  const [file, stack] = [text(record['file']), text(record['stack']) ?? text(record['message']) ?? ''];
  const line = number(record['line']);
  if (file !== null && line !== null) return { file, line, column: number(record['column']) };
  const listed = placeAmong(record['places'], isInside);
  if (listed !== null) return listed;
  const traced = file === null ? placeIn(stack) : placeInFile(stack, file);
  if (traced.line !== null || file === null) return traced;
  const elsewhere = placeIn(stack);
  if (elsewhere.file !== null && isInside(elsewhere.file)) return elsewhere;
  return { file, line: number(record['testLine']), column: number(record['testColumn']) };
}

/** Returns the message without its stack trace and, if it does not begin with it, behind the name of the error. */
function messageOf(record: Fields): string {
  const whole = text(record['message']) ?? text(record['stack']) ?? '';
  const message = record['isOutput'] === true ? failurePart(whole) : messageBefore(whole.split('\n'));
  const name = text(record['errorName']);
  return name === null || message.startsWith(name) ? message || 'failed' : `${name}: ${message}`;
}

const nameOf = ({ name }: Fields): string | null =>
  Array.isArray(name) && name.length > 0 ? name.map(String).join(' > ') : null;

/**
 * Reads a report that one of our reporters has written (`test-reporters/`): one JSON object per line. `isInside`
 * returns true for files of the project.
 */
export function parseResults(file: string, isInside: (file: string) => boolean): Report {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let runner = 'tests';
  let isComplete = false;
  for (const line of file.split('\n')) {
    const record = parseJsonObject(line);
    if (record === null) continue;
    const { type, status } = record;
    if (type === 'begin') runner = text(record['runner']) ?? runner;
    else if (type === 'end') isComplete = true;
    else if (type === 'counts') {
      counts.passed += number(record['passed']) ?? 0;
      counts.skipped += number(record['skipped']) ?? 0;
    } else if (type === 'error' || status === 'failed') {
      if (type === 'test') counts.failed += 1;
      findings.add({ ...NOWHERE, ...placeOf(record, isInside), name: nameOf(record), message: messageOf(record) });
    } else if (status === 'passed') counts.passed += 1;
    else if (status === 'skipped') counts.skipped += 1;
  }
  const problem = isComplete ? null : `the report of ${runner} is not complete`;
  return findings.report(runner, counts, problem);
}
