import { failurePart } from './failure-part.ts';
import { collectFindings, NOWHERE, type ReportedPlace, type Report } from './finding.ts';
import { placeIn, toNumber } from './place.ts';
import { messageBefore, placeInFile } from './stack-trace.ts';

/** The attributes of an XML element by name. */
export type Attributes = Readonly<Record<string, string>>;

interface TestCase {
  readonly attributes: Attributes;
  /** The file of the suite, for runners that name it only there. */
  readonly file: string | null;
  readonly suites: readonly string[];
  failure: { readonly message: string; text: string } | null;
  output: string;
  isSkipped: boolean;
}

interface Suite {
  readonly attributes: Attributes;
  readonly file: string | null;
  /** Failures of the suite and of the suites in it. */
  failed: number;
  output: string;
}

const LONGEST_TEXT = 200_000;

/** Matches frames that our parsers of traces do not know: of PHPUnit and Bats, `file.php:12`, and of Ruby. */
const BARE_PLACE =
  /^(?:# )?\(?(?:in test file )?((?:[A-Za-z]:)?[^\s:()][^:()]*\.\w+)(?::([0-9]{1,9})|, line ([0-9]{1,9}))\)?$/;

/** Matches a frame of Java: the class with its package, and the file. */
const JAVA_FRAME = /^\s*at (?:[\w.$-]+\/\/?)?([\w.$]+)\.[\w$<>]+\((\w+\.\w+):([0-9]{1,9})\)/;

/** Returns the place of the first frame of Java's that is in the class of the test, as a path within a source folder. */
function javaPlace(body: string, owner: string): ReportedPlace | null {
  for (const line of body.split('\n')) {
    const [, type = '', file, row = ''] = JAVA_FRAME.exec(line) ?? [];
    if (file === undefined || (type !== owner && !type.startsWith(`${owner}$`))) continue;
    const folder = type.split('.').slice(0, -1).join('/');
    return { file: folder === '' ? file : `${folder}/${file}`, line: toNumber(row), column: null };
  }
  return null;
}

function barePlace(body: string, file: string | null): ReportedPlace | null {
  for (const line of body.split('\n')) {
    const [, found, first, second] = BARE_PLACE.exec(line.trim()) ?? [];
    if (found === undefined || found.includes('/vendor/')) continue;
    if (file === null || file.endsWith(found) || found.endsWith(file))
      return { file: found, line: toNumber(first ?? second ?? ''), column: null };
  }
  return null;
}

function placeOf({ attributes, file: suiteFile }: TestCase, body: string): ReportedPlace {
  const file = attributes['file'] ?? suiteFile;
  const owner = attributes['classname'] ?? '';
  const known = javaPlace(body, owner) ?? barePlace(body, file);
  if (known !== null) return known;
  if (file === null) return placeIn(body);
  const traced = placeInFile(body, file);
  if (traced.line !== null) return traced;
  return { file, line: toNumber(attributes['line'] ?? ''), column: null };
}

/** Returns the name of a test with its suites: its class, or else the names of the suites around it. */
function fullName({ attributes, suites }: TestCase): string {
  const name = attributes['name'] ?? '';
  const owner = attributes['classname'] ?? suites.at(-1) ?? '';
  return owner === '' || owner === name || name.startsWith(owner) ? name : `${owner} > ${name}`;
}

function messageOf({ attributes, failure, output }: TestCase): string {
  const { message = '', text = '' } = failure ?? {};
  const said = text.trim() === '' ? output : text;
  // PHPUnit repeats the name above the message.
  const title = `${attributes['class'] ?? ''}::${attributes['name'] ?? ''}`;
  const lines = said.split('\n').filter((line) => !BARE_PLACE.test(line.trim()) && line.trim() !== title);
  const body = messageBefore(lines);
  // A message of one word, such as `Failed`, is no more than the result.
  return /\s/.test(message.trim()) ? message : failurePart(body) || message || 'failed';
}

/** Collects the results of a document in the format of JUnit. */
export function junitResults() {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const suites: Suite[] = [];
  let test: TestCase | null = null;
  let within: 'failure' | 'output' | null = null;

  const endTest = (): void => {
    if (test === null) return;
    const { failure, isSkipped } = test;
    const suite = suites.at(-1);
    if (failure !== null) {
      counts.failed += 1;
      if (suite !== undefined) suite.failed += 1;
      findings.add({ ...placeOf(test, failure.text), name: fullName(test), message: messageOf(test) });
    } else if (isSkipped) counts.skipped += 1;
    else counts.passed += 1;
    test = null;
  };

  /** Adds the failures that a suite counts but no test in it has: for example of a class that could not be loaded. */
  const endSuite = (): void => {
    const suite = suites.pop();
    if (suite === undefined) return;
    const { attributes, file, output } = suite;
    const declared = ['errors', 'failures'].reduce((sum, key) => sum + (toNumber(attributes[key] ?? '') ?? 0), 0);
    if (declared > suite.failed) {
      const message = failurePart(output) || `${declared - suite.failed} errors outside of its tests`;
      findings.add({ ...NOWHERE, file, name: attributes['name'] ?? null, message });
    }
    const outer = suites.at(-1);
    if (outer !== undefined) outer.failed += Math.max(declared, suite.failed);
  };

  return {
    open: (name: string, attributes: Attributes): void => {
      if (name === 'testsuite' || name === 'testsuites') {
        const file = attributes['file'] ?? suites.at(-1)?.file ?? null;
        suites.push({ attributes, file, failed: 0, output: '' });
      } else if (name === 'testcase') {
        const file = suites.at(-1)?.file ?? null;
        const names = suites.flatMap((suite) => suite.attributes['name'] ?? []);
        test = { attributes, file, suites: names, failure: null, output: '', isSkipped: false };
      } else if (name === 'failure' || name === 'error') {
        within = 'failure';
        const message = attributes['message'] ?? '';
        if (test !== null) test.failure ??= { message, text: '' };
        else if (suites.length > 0) (suites.at(-1) as Suite).output += `${message}\n`;
      } else if (name === 'skipped' && test !== null) test.isSkipped = true;
      else if (name === 'system-out' || name === 'system-err') within = 'output';
    },
    text: (text: string): void => {
      const suite = suites.at(-1);
      if (within === null) return;
      if (test === null && suite !== undefined) suite.output = (suite.output + text).slice(0, LONGEST_TEXT);
      else if (test !== null && within === 'output') test.output = (test.output + text).slice(0, LONGEST_TEXT);
      else if (test?.failure) test.failure.text = (test.failure.text + text).slice(0, LONGEST_TEXT);
    },
    close: (name: string): void => {
      if (name === 'testcase') endTest();
      else if (name === 'testsuite' || name === 'testsuites') endSuite();
      if (['failure', 'error', 'system-out', 'system-err'].includes(name)) within = null;
    },
    report: (problem: string | null): Report => {
      endTest();
      while (suites.length > 0) endSuite();
      return findings.report('junit', counts, problem);
    },
  };
}
