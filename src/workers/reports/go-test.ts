import { parseJsonObject } from '#protocol/json.ts';
import { collectFindings, type LineReader, NOWHERE, type ReportedPlace } from './finding.ts';
import { beginsPanic, openPanic, type Panic } from './go-panic.ts';
import { readPlace } from './place.ts';

const MOST_LINES = 20;
const MOST_TESTS = 10_000;

interface Failed {
  readonly name: string;
  readonly lines: readonly string[];
  readonly panic: Panic | null;
}

/** Splits a log line such as `sum_test.go:9: message` into place and message. */
function splitLog(line: string) {
  const text = line.trim();
  const at = text.indexOf('.go:') < 0 ? -1 : text.indexOf(': ');
  const place = at < 0 ? null : readPlace(text.slice(0, at));
  return place === null ? null : { place, message: text.slice(at + 2) };
}

/** Returns the place of a log line, which names the file without the folder of its package. */
const inPackage = (place: ReportedPlace, owner: string): ReportedPlace =>
  place.file === null || place.file.includes('/') ? place : { ...place, file: `${owner}/${place.file}` };

function addFailed(findings: ReturnType<typeof collectFindings>, tests: readonly Failed[], owner: string): void {
  const parents = new Set(
    tests.flatMap(({ name }) => (name.includes('/') ? [name.slice(0, name.lastIndexOf('/'))] : [])),
  );
  for (const { name, lines, panic } of tests) {
    const logs = lines.map((line) => splitLog(line));
    const first = logs.find((log) => log !== null) ?? null;
    // A parent test without its own message failed only because a subtest failed.
    if (first === null && panic === null && parents.has(name)) continue;
    const messages = lines.map((line, index) => logs[index]?.message ?? line.trim());
    const message = (panic === null ? messages : [panic.message, ...messages]).join('\n');
    findings.add({
      ...(panic?.place ?? inPackage(first?.place ?? NOWHERE, owner)),
      name: name === '' ? owner : `${owner}.${name}`,
      message: message || 'failed',
    });
  }
}

interface GoEvent {
  readonly action: string;
  readonly owner: string;
  /** The test, or an empty text for an event of the package. */
  readonly test: string;
  readonly output: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses an event of `go test -json`, or returns null for any other line. */
function parseEvent(line: string): GoEvent | null {
  if (!line.startsWith('{"') || !line.includes('"Action":"')) return null;
  const { Action: action, Package: owner, ImportPath: path, Test: test, Output: output } = parseJsonObject(line) ?? {};
  if (typeof action !== 'string') return null;
  return { action, owner: textOf(owner) || textOf(path), test: textOf(test), output: textOf(output) };
}

/** Matches lines about the progress of tests, which go prints with `-v` only. */
const PROGRESS = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- PASS|--- SKIP)/;

/** Reads the output of `go test -json`: one event per line, and the messages of the compiler. */
export function goTestReader(): LineReader {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const outputs = new Map<string, string[]>();
  const failed = new Map<string, Failed[]>();
  const panics = new Map<string, ReturnType<typeof openPanic>>();
  const others: string[] = [];
  let isGo = false;

  const takeOutput = (key: string, output: string): void => {
    const panic = panics.get(key);
    if (beginsPanic(output) && panics.size < MOST_TESTS) panics.set(key, openPanic(output.trimEnd()));
    else if (panic !== undefined) panic.line(output.trimEnd());
    else if (!/^\s*(?:===|---) /.test(output) && outputs.size < MOST_TESTS) {
      const lines = outputs.get(key) ?? [];
      if (lines.length < MOST_LINES) lines.push(output.trimEnd());
      outputs.set(key, lines);
    }
  };

  /** Takes an event of a package: of interest is a panic that belongs to no test. */
  const takeOfPackage = ({ action, owner, output }: GoEvent): void => {
    const key = `${owner} `;
    if (action === 'output' && (panics.has(key) || beginsPanic(output))) takeOutput(key, output);
    const panic = action === 'fail' ? (panics.get(key)?.end() ?? null) : null;
    if (panic !== null) failed.set(owner, [...(failed.get(owner) ?? []), { name: '', lines: [], panic }]);
  };

  const take = ({ action, owner, test, output }: GoEvent): void => {
    const key = `${owner} ${test}`;
    if (action === 'output') return takeOutput(key, output);
    if (action === 'pass') counts.passed += 1;
    else if (action === 'skip') counts.skipped += 1;
    else if (action === 'fail') {
      counts.failed += 1;
      const list = failed.get(owner) ?? [];
      list.push({ name: test, lines: outputs.get(key) ?? [], panic: panics.get(key)?.end() ?? null });
      if (list.length <= MOST_TESTS) failed.set(owner, list);
    } else return;
    outputs.delete(key);
    panics.delete(key);
  };

  return {
    isLong: true,
    line: (line) => {
      const event = parseEvent(line);
      if (event !== null) isGo = true;
      if (event === null || event.action === 'build-output') {
        if (others.length < MOST_LINES) others.push(event?.output ?? line);
      } else if (event.test === '') takeOfPackage(event);
      else take(event);
    },
    report: () => {
      const findings = collectFindings();
      for (const [owner, tests] of failed) addFailed(findings, tests, owner);
      for (const text of others) {
        const log = splitLog(text);
        if (log !== null) findings.add({ ...log.place, message: log.message });
      }
      return isGo ? findings.report('go-test', counts) : null;
    },
  };
}

const MOST_EVENTS = 100_000;

/**
 * Returns a function that converts the output of `go test -json`, line by line, to the text that `go test` prints
 * without this option.
 */
export function goTestText(isVerbose: boolean): (line: string) => string {
  const packages = new Map<string, GoEvent[]>();
  const passed = new Set<string>();

  const endPackage = (owner: string, isPassed: boolean): string => {
    const events = packages.get(owner) ?? [];
    packages.delete(owner);
    return events
      .filter(({ test, output }) =>
        test === ''
          ? !(isPassed && output === 'PASS\n')
          : !isPassed && !passed.has(`${owner} ${test}`) && !PROGRESS.test(output),
      )
      .map(({ output }) => output)
      .join('');
  };

  return (line) => {
    const event = parseEvent(line);
    if (event === null) return `${line}\n`;
    const { action, owner, test, output } = event;
    if (action === 'build-output' || (action === 'output' && isVerbose)) return output;
    if (action === 'output') {
      const events = packages.get(owner) ?? [];
      if (events.length < MOST_EVENTS) events.push(event);
      packages.set(owner, events);
      return '';
    }
    if (test !== '' && (action === 'pass' || action === 'skip')) passed.add(`${owner} ${test}`);
    const isEnd = test === '' && ['pass', 'fail', 'skip'].includes(action);
    return isEnd ? endPackage(owner, action !== 'fail') : '';
  };
}
