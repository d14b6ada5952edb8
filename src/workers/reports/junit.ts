import { collectFindings, NOWHERE, type Report } from './finding.ts';
import { placeIn, toNumber } from './place.ts';
import { messageBefore, placeInFile } from './stack-trace.ts';
import { xmlPieces } from './xml-tags.ts';

interface TestCase {
  readonly attributes: ReadonlyMap<string, string>;
  failure: { message: string; readonly body: string[] } | null;
  isSkipped: boolean;
}

const MOST_BODY = 500;

/**
 * Returns the test's name with its suites, which are in `classname`. Node writes `test` there if a test has no suite.
 */
function fullName({ attributes }: TestCase): string {
  const name = attributes.get('name') ?? '';
  const owner = attributes.get('classname') ?? '';
  return owner === '' || owner === 'test' || owner === name ? name : `${owner} > ${name}`;
}

function placeOf({ attributes }: TestCase, body: string) {
  const file = attributes.get('file') ?? null;
  const found = placeIn(body);
  if (file === null || found.file?.endsWith(file) === true) return found;
  const line = toNumber(attributes.get('line') ?? '');
  return line === null ? placeInFile(body, file) : { ...NOWHERE, file, line };
}

/**
 * Parses JUnit XML as written by pytest, Vitest, Jest, Mocha, Node, Maven and Gradle. Returns null if it contains no test
 * case.
 */
export function parseJUnit(xml: string): Report | null {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let open: TestCase | null = null;
  let inFailure = false;

  const settle = (): void => {
    if (open === null) return;
    const { failure } = open;
    if (open.isSkipped) counts.skipped += 1;
    else if (failure === null) counts.passed += 1;
    else {
      counts.failed += 1;
      const body = failure.body.join('');
      const message = failure.message || messageBefore(body.split('\n')) || body || 'failed';
      findings.add({ ...placeOf(open, body), name: fullName(open), message });
    }
    open = null;
  };

  for (const piece of xmlPieces(xml)) {
    if (piece.kind === 'text') {
      const body = open?.failure?.body ?? [];
      if (inFailure && body.length < MOST_BODY) body.push(piece.text);
      continue;
    }
    const isFailure = piece.name === 'failure' || piece.name === 'error';
    if (piece.kind === 'close') {
      if (isFailure) inFailure = false;
      if (piece.name === 'testcase') settle();
      continue;
    }
    if (piece.name === 'testcase') {
      settle();
      open = { attributes: piece.attributes, failure: null, isSkipped: false };
      if (piece.isEmpty) settle();
    } else if (open !== null && piece.name === 'skipped') open.isSkipped = true;
    else if (open !== null && isFailure) {
      open.failure ??= { message: piece.attributes.get('message') ?? '', body: [] };
      inFailure = !piece.isEmpty;
    }
  }
  settle();
  return counts.passed + counts.failed + counts.skipped === 0 ? null : findings.report('junit', counts);
}
