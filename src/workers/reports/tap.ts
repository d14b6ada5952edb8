import { collectFindings, type LineReader, NOWHERE, type Place } from './finding.ts';
import { NO_MESSAGE, type NodeCrash, nodeCrashes } from './node-crashes.ts';
import { placeIn, readPlace, toNumber } from './place.ts';
import { messageBefore } from './stack-trace.ts';

/** Maximum number of detail lines that are kept for a failure. */
const MOST_DETAILS = 60;
const DEEPEST = 50;

const COUNT = /^# (?:tests|suites|pass|fail|skipped|todo) [0-9]{1,9}$/;

/** Matches a plan such as `1..3`, which gives the number of tests. */
const PLAN = /^1\.\.[0-9]{1,9}(?: |$)/;

interface Result {
  readonly ok: boolean;
  readonly name: string;
  readonly isIgnored: boolean;
  /** True if the test contains other tests, which the output marks by `{`. */
  readonly isSuite: boolean;
}

const RESULT = /^(not )?ok\b ?([0-9]{1,9})?(?: - | )?(.*)$/;

function readResult(text: string): Result | null {
  const match = RESULT.exec(text);
  if (match === null) return null;
  const rest = match[3] ?? '';
  const isSuite = rest.endsWith(' {');
  const bare = isSuite ? rest.slice(0, -2) : rest;
  const hash = bare.lastIndexOf(' # ');
  const directive = hash < 0 ? '' : bare.slice(hash + 3).toLowerCase();
  const isDirective = ['todo', 'skip', 'time='].some((word) => directive.startsWith(word));
  return {
    ok: match[1] === undefined,
    name: (isDirective ? bare.slice(0, hash) : bare).replaceAll('\\#', '#').trim(),
    isIgnored: directive.startsWith('todo') || directive.startsWith('skip'),
    isSuite,
  };
}

const PASSED: Result = { ok: true, name: '', isIgnored: false, isSuite: false };

/**
 * Returns true for results that only report a passed test. These are most of the lines, and need no further parsing.
 */
const isPlain = (text: string): boolean =>
  text.startsWith('ok ') && !text.endsWith('{') && !/# (?:todo|skip)/i.test(text);

const unquote = (text: string): string => {
  const mark = text.charAt(0);
  if (mark !== "'" && mark !== '"') return text;
  return text.slice(1, text.length > 1 && text.endsWith(mark) ? -1 : undefined);
};

const indentOf = (line: string): number => line.length - line.trimStart().length;

const isClosed = (text: string): boolean => text.length > 1 && text.endsWith(text.charAt(0));

const KEY = /^\s*([A-Za-z_]{1,40}):(?: (.*))?$/;

/**
 * Reads the fields of a failure's YAML block at any depth. It supports only the subset of YAML that Node, Vitest and
 * tap write.
 */
function readFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let open: { readonly key: string; readonly indent: number; readonly quote: string } | null = null;
  for (const line of lines) {
    const goesOn: boolean = open !== null && (open.quote !== '' || indentOf(line) > open.indent);
    if (open !== null && goesOn) {
      const ends: boolean = open.quote !== '' && line.endsWith(open.quote);
      fields.set(open.key, `${fields.get(open.key) ?? ''}\n${ends ? line.slice(0, -1) : line.trim()}`);
      if (ends) open = null;
      continue;
    }
    open = null;
    const [, key = '', value = ''] = KEY.exec(line) ?? [];
    if (key === '') continue;
    const quote = ['"', "'"].find((mark) => value.startsWith(mark)) ?? '';
    const isBlock = value === '|-' || value === '|' || value === '>-';
    if (fields.has(key)) continue;
    if (isBlock || (quote !== '' && !isClosed(value)))
      open = { key, indent: indentOf(line), quote: isBlock ? '' : quote };
    fields.set(key, isBlock ? '' : unquote(value));
  }
  return fields;
}

/** Matches the place of a failure in the output of bats. */
const IN_FILE = /^\(in test file (.{1,1000}), line ([0-9]{1,9})\)$/;

function inComments(lines: readonly string[]): { readonly message: string; readonly place: Place } {
  const said = lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2).trim());
  const [, file = null, line = ''] = IN_FILE.exec(said[0] ?? '') ?? [];
  return { message: said.join('\n'), place: file === null ? NOWHERE : { ...NOWHERE, file, line: toNumber(line) } };
}

interface Details {
  readonly message: string;
  readonly place: Place;
  readonly kind: string;
}

/** Reads the details that Mocha writes without YAML: a message and a stack trace. */
function readPlain(lines: readonly string[]): Details {
  const text = lines.filter((line) => !line.startsWith('#')).map((line) => line.replace(/^ {2}/, ''));
  return { message: messageBefore(text), place: placeIn(text.join('\n')), kind: '' };
}

function readYaml(lines: readonly string[]): Details {
  const fields = readFields(lines);
  const field = (key: string): string => (fields.get(key) ?? '').trim();
  const line = toNumber(field('lineNumber')) ?? toNumber(field('line'));
  const file = field('fileName') || field('file');
  const comments = inComments(lines);
  const listed: Place = file === '' ? comments.place : { file, line, column: toNumber(field('columnNumber')) };
  return {
    message: field('error') || field('message') || field('name') || comments.message,
    place: readPlace(field('location')) ?? readPlace(field('at')) ?? listed,
    kind: field('failureType'),
  };
}

function readDetails(lines: readonly string[], isYaml: boolean): Details {
  const yaml = readYaml(lines);
  return isYaml || yaml.message !== '' ? yaml : readPlain(lines);
}

interface Failed {
  readonly name: string;
  readonly details: string[];
  readonly crash: NodeCrash | null;
  isYaml: boolean;
}

/** Finds the YAML blocks below results. Lines within a block are never results. */
function createYamlBlocks() {
  /** The indentation of the result on the previous line, or null. */
  let above: number | null = null;
  /** The indentation of the block that is being read, or null. */
  let within: number | null = null;
  return {
    /** Returns true if a line belongs to a block, including its delimiters. */
    takes: (text: string, indent: number): boolean => {
      if (within !== null && indent < within && text !== '') within = null;
      if (within !== null) {
        if (text === '...' && indent === within) within = null;
        return true;
      }
      if (text !== '---' || above === null || indent <= above) return false;
      within = indent;
      return true;
    },
    afterResult: (indent: number): void => {
      above = indent;
    },
    afterOther: (): void => {
      above = null;
    },
  };
}

/** Reads the Test Anything Protocol, which `node --test`, Vitest, Mocha, tap, bats and prove write. */
export function tapReader(): LineReader {
  const crashes = nodeCrashes();
  /** The crash of Node that was reported right before the current subtest. */
  let crash: NodeCrash | null = null;
  const findings = collectFindings();
  const names: string[] = [];
  const own = { passed: 0, failed: 0, skipped: 0 };
  const summary = new Map<string, number>();
  const yaml = createYamlBlocks();
  let isTap = false;
  let hasPlan = false;
  let failed: Failed | null = null;

  const settle = (): void => {
    if (failed === null) return;
    const { message, place, kind } = readDetails(failed.details, failed.isYaml);
    const why = NO_MESSAGE.test(message) ? failed.crash : null;
    if (kind !== 'subtestsFailed') {
      own.failed += 1;
      findings.add({ ...(why ?? place), name: failed.name, message: why?.message ?? (message || 'failed') });
    }
    failed = null;
  };

  const take = (depth: number, { ok, name, isIgnored, isSuite }: Result): void => {
    settle();
    names.length = Math.min(names.length, depth);
    if (isSuite) names[Math.min(depth, DEEPEST)] = name;
    else if (isIgnored) own.skipped += 1;
    else if (ok) own.passed += 1;
    else failed = { name: [...names, name].join(' > '), details: [], crash, isYaml: false };
    crash = null;
  };

  const detail = (line: string, text: string): void => {
    if (failed !== null && failed.details.length < MOST_DETAILS && text !== '---' && text !== '...')
      failed.details.push(line);
  };

  return {
    line: (line) => {
      const text = line.trimStart();
      const indent = line.length - text.length;
      if (yaml.takes(text, indent)) {
        if (failed !== null) failed.isYaml = true;
        detail(line, text);
        return;
      }
      if (text.startsWith('# ')) crashes.line(text);
      yaml.afterOther();
      const depth = Math.floor(indent / 4);
      if (text.startsWith('TAP version ')) isTap = true;
      else if (line.startsWith('1..') && PLAN.test(line)) hasPlan = true;
      else if (text.startsWith('# Subtest: ')) {
        settle();
        crash = crashes.take() ?? crash;
        names.length = Math.min(names.length, depth, DEEPEST);
        names[names.length] = text.slice('# Subtest: '.length);
      } else if (text.startsWith('ok ') || text.startsWith('not ok ')) {
        const result = isPlain(text) ? PASSED : readResult(text);
        if (result !== null) take(depth, result);
        yaml.afterResult(indent);
      } else if (text.startsWith('# ') && COUNT.test(text)) {
        settle();
        const [, key = '', count = ''] = text.split(' ');
        summary.set(key, Number(count));
      } else detail(line, text);
    },
    report: () => {
      settle();
      // A plan such as `1..3` without results does not identify the output as TAP.
      if (!isTap && !(hasPlan && own.passed + own.failed + own.skipped > 0)) return null;
      const counts = summary.has('fail')
        ? {
            passed: summary.get('pass') ?? 0,
            failed: summary.get('fail') ?? 0,
            skipped: summary.has('skipped') ? (summary.get('skipped') ?? 0) + (summary.get('todo') ?? 0) : own.skipped,
          }
        : own;
      return findings.report('tap', counts);
    },
  };
}
