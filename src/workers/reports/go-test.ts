import { parseJsonObject } from '#protocol/json-object.ts';
import { collectFindings, type LineReader, NOWHERE } from './finding.ts';
import { beginsPanic, openPanic, type Panic } from './go-panic.ts';
import { readPlace } from './place.ts';

const MOST_LINES = 20;
const MOST_TESTS = 10_000;

interface Failed {
  readonly name: string;
  readonly lines: string[];
  readonly panic?: Panic | null;
}

/** Splits a log line such as `sum_test.go:9: message` into place and message. */
function splitLog(line: string) {
  const text = line.trim();
  const at = text.indexOf('.go:') < 0 ? -1 : text.indexOf(': ');
  const place = at < 0 ? null : readPlace(text.slice(0, at));
  return place === null ? null : { place, message: text.slice(at + 2) };
}

function addFailed(findings: ReturnType<typeof collectFindings>, tests: readonly Failed[], owner: string): void {
  const parents = new Set(
    tests.flatMap(({ name }) => (name.includes('/') ? [name.slice(0, name.lastIndexOf('/'))] : [])),
  );
  for (const { name, lines, panic = null } of tests) {
    const logs = lines.map((line) => splitLog(line));
    const first = logs.find((log) => log !== null) ?? null;
    // A parent test without its own message failed only because a subtest failed.
    if (first === null && panic === null && parents.has(name)) continue;
    const messages = lines.map((line, index) => logs[index]?.message ?? line.trim());
    const message = (panic === null ? messages : [panic.message, ...messages]).join('\n');
    findings.add({
      ...(panic?.place ?? first?.place ?? NOWHERE),
      name: [owner, name].filter((part) => part !== '').join('.'),
      message: message || 'failed',
    });
  }
}

/** Reads a result line such as `--- FAIL: TestAdd (0.00s)`. */
function resultOf(text: string): { readonly kind: string; readonly name: string } | null {
  if (!text.startsWith('--- ')) return null;
  const kind = ['--- FAIL: ', '--- PASS: ', '--- SKIP: '].find((start) => text.startsWith(start));
  if (kind === undefined) return null;
  const end = text.lastIndexOf(' (');
  return { kind: kind.slice(4, 8), name: text.slice(kind.length, end < 0 ? undefined : end) };
}

/** Reads the text output of `go test`, with or without `-v`. */
export function goTestReader(): LineReader {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const logs = new Map<string, string[]>();
  let failed: Failed[] = [];
  let current: string[] | null = null;
  let running = '';
  let panic: ReturnType<typeof openPanic> | null = null;
  let isGo = false;

  const logsOf = (name: string): string[] => {
    const known = logs.get(name) ?? [];
    if (logs.size < MOST_TESTS) logs.set(name, known);
    return known;
  };

  /** Assigns a panic to a test. A panic ends the test program, so only the result line of the package follows. */
  const blame = (found: Panic): void => {
    const last = found.isRecovered ? failed.pop() : undefined;
    failed.push({ ...(last ?? { name: running, lines: [] }), panic: found });
  };

  const settle = (owner: string): void => {
    const found = panic?.end() ?? null;
    if (found !== null) blame(found);
    panic = null;
    running = '';
    counts.failed += failed.length;
    addFailed(findings, failed, owner);
    failed = [];
    logs.clear();
    current = null;
  };

  return {
    line: (line) => {
      const text = line.trimStart();
      const result = resultOf(text);
      if (text.startsWith('=== ')) {
        running = text.split(' ').at(-1) ?? '';
        current = logsOf(running);
        panic = null;
      } else if (result !== null) {
        current = logsOf(result.name);
        panic = null;
        running = '';
        if (result.kind === 'FAIL' && failed.length < MOST_TESTS) failed.push({ name: result.name, lines: current });
        else if (result.kind === 'PASS') counts.passed += 1;
        else if (result.kind === 'SKIP') counts.skipped += 1;
      } else if (line.startsWith('FAIL\t') || line.startsWith('ok  \t')) {
        isGo = true;
        settle(line.split('\t')[1]?.split(' ')[0] ?? '');
      } else if (beginsPanic(line)) panic = openPanic(line);
      else if (panic !== null) panic.line(line);
      else if (current !== null && line.startsWith('    ') && current.length < MOST_LINES) current.push(line);
    },
    report: () => {
      settle('');
      // If `-v` is not set, go test does not report the tests that passed, so the counts would be wrong.
      return isGo ? findings.report('go-test', counts.passed + counts.skipped > 0 ? counts : null) : null;
    },
  };
}

const isLogLine = (text: string): boolean => !['=== ', '--- '].some((start) => text.trimStart().startsWith(start));

/** Reads the output of `go test -json`, with one object per line. */
export function goTestJsonReader(): LineReader {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const outputs = new Map<string, string[]>();
  const failed = new Map<string, Failed[]>();
  const panics = new Map<string, ReturnType<typeof openPanic>>();
  const builds: string[] = [];
  let isGo = false;

  const take = (action: string, owner: string, name: string, output: string): void => {
    const key = `${owner} ${name}`;
    if (action === 'output' && outputs.size < MOST_TESTS) {
      const lines = outputs.get(key) ?? [];
      const panic = panics.get(key);
      if (beginsPanic(output) && panics.size < MOST_TESTS) panics.set(key, openPanic(output.trimEnd()));
      else if (panic !== undefined) panic.line(output.trimEnd());
      else if (lines.length < MOST_LINES && isLogLine(output)) outputs.set(key, [...lines, output.trimEnd()]);
      return;
    }
    if (action === 'pass') counts.passed += 1;
    else if (action === 'skip') counts.skipped += 1;
    else if (action === 'fail') {
      counts.failed += 1;
      const list = failed.get(owner) ?? [];
      list.push({ name, lines: outputs.get(key) ?? [], panic: panics.get(key)?.end() ?? null });
      if (list.length <= MOST_TESTS) failed.set(owner, list);
    } else return;
    outputs.delete(key);
    panics.delete(key);
  };

  return {
    isLong: true,
    line: (line) => {
      if (!line.startsWith('{"') || line.length > 100_000 || !line.includes('"Action":"')) return;
      const { Action: action, Package: owner, Test: name, Output: output } = parseJsonObject(line) ?? {};
      if (typeof action !== 'string') return;
      isGo = true;
      const text = typeof output === 'string' ? output : '';
      if (action === 'build-output' && builds.length < MOST_LINES) builds.push(text);
      if (typeof name === 'string' && typeof owner === 'string') take(action, owner, name, text);
    },
    report: () => {
      if (!isGo) return null;
      const findings = collectFindings();
      for (const [owner, tests] of failed) addFailed(findings, tests, owner);
      for (const text of builds) {
        const log = splitLog(text);
        if (log !== null) findings.add({ ...log.place, message: log.message });
      }
      return findings.report('go-test-json', counts);
    },
  };
}
