import { collectFindings, type LineReader, NOWHERE, type Place } from './finding.ts';
import { placeIn, toNumber } from './place.ts';

const MOST_LINES = 20;
const MOST_SECTIONS = 1_000;

/** Matches the place of a syntax error. */
const SYNTAX = /^E +File "(.{1,1000})", line ([0-9]{1,9})$/;

interface Section {
  readonly lines: string[];
  place: Place;
}

function trimmed(text: string, mark: string): string {
  let from = 0;
  let end = text.length;
  while (from < end && text[from] === mark) from += 1;
  while (end > from && text[end - 1] === mark) end -= 1;
  return text.slice(from, end).trim();
}

/**
 * Reads the heading of a section: `____ TestSuite.test_fails ____`, `____ ERROR at setup of test_error ____`. Long
 * names may leave only one `_` on each side.
 */
function sectionName(line: string): string | null {
  if (!line.startsWith('_')) return null;
  const isWide = line.startsWith('___') && line.endsWith('___');
  if (!isWide && !/^_{1,2} [^_ ].* _{1,2}$/.test(line)) return null;
  const name = trimmed(line, '_');
  for (const start of ['ERROR at setup of ', 'ERROR at teardown of ', 'ERROR collecting '])
    if (name.startsWith(start)) return name.slice(start.length);
  return name === '' ? null : name;
}

interface Summary {
  readonly id: string;
  readonly message: string;
}

/** Returns the index at which a test's parameters begin. They are in brackets and may contain any text. */
const parameterOf = (id: string): number => (id.includes('[') ? id.indexOf('[') : id.length);

/** Returns the section title for a test id such as `test_a.py::Suite::test[a::b]`. */
function titleOf(id: string): string {
  const end = parameterOf(id);
  const [file = '', ...names] = id.slice(0, end).split('::');
  return names.length === 0 ? file : names.join('.') + id.slice(end);
}

/** Maximum number of dashes that are tried as the end of a test's name. */
const MOST_DASHES = 10;

/** Returns the possible ways to split `test_a.py::test[1 - 2] - message` into name and message, shortest name first. */
function readings(text: string): readonly Summary[] {
  const found: Summary[] = [];
  for (let at = text.indexOf(' - '); at >= 0 && found.length < MOST_DASHES; at = text.indexOf(' - ', at + 1))
    found.push({ id: text.slice(0, at), message: text.slice(at + 3) });
  return [...found, { id: text, message: '' }];
}

/**
 * Reads a summary line such as `FAILED test_a.py::Suite::test - message`. `isTitle` returns true if a section has that
 * title, which resolves ambiguous names.
 */
function readSummary(line: string, isTitle: (title: string) => boolean): Summary | null {
  const start = line.startsWith('FAILED ') ? 'FAILED ' : 'ERROR ';
  if (!line.startsWith(start)) return null;
  const all = readings(line.slice(start.length));
  const isWhole = ({ id }: Summary): boolean => parameterOf(id) === id.length || id.endsWith(']');
  const found = all.find(({ id }) => isTitle(titleOf(id))) ?? all.find(isWhole) ?? all[0];
  return found?.id.includes('.py') === true ? found : null;
}

/**
 * Returns true for the last line of pytest: `1 failed, 2 passed in 0.02s`. Longer runs add `(0:01:15)` or `(1 day,
 * 1:01:01)`.
 */
const isEnd = (text: string): boolean =>
  /^[0-9]{1,9} (?:failed|passed|skipped|errors?|deselected|xfailed|xpassed|warnings?)\b.* in [0-9.]{1,20}s(?: \([0-9:, days]{1,40}\))?$/.test(
    text,
  );

const countOf = (text: string, word: string): number => Number(new RegExp(`([0-9]{1,9}) ${word}`).exec(text)?.[1] ?? 0);

/** Reads the default output of pytest. */
export function pytestReader(): LineReader {
  const sections = new Map<string, Section[]>();
  const summaries: Summary[] = [];
  let end: string | null = null;
  let open: Section | null = null;
  let more = 0;

  const begin = (name: string): void => {
    open = { lines: [], place: NOWHERE };
    if (sections.size >= MOST_SECTIONS && !sections.has(name)) return;
    const same = sections.get(name) ?? [];
    if (same.length < MOST_LINES) sections.set(name, [...same, open]);
  };

  const inSection = (section: Section, line: string): void => {
    if (line.startsWith('E  ') && section.lines.length < MOST_LINES) section.lines.push(line.slice(1).trim());
    const [, broken, number = ''] = line.startsWith('E  ') ? (SYNTAX.exec(line) ?? []) : [];
    if (broken !== undefined) section.place = { file: broken, line: toNumber(number), column: null };
    const place = placeIn(line);
    // The last place within the project is used. Absolute paths belong to installed packages and are skipped.
    if (place.file?.endsWith('.py') === true && !place.file.startsWith('/')) section.place = place;
  };

  return {
    line: (line) => {
      const name = sectionName(line);
      const summary = readSummary(line, (title) => sections.has(title));
      const text = line.startsWith('=') ? trimmed(line, '=') : line;
      if (name !== null) begin(name);
      else if (isEnd(text)) end = text;
      else if (summary !== null) {
        open = null;
        if (summaries.length < MOST_SECTIONS) summaries.push(summary);
        else more += 1;
      } else if (open !== null) inSection(open, line);
    },
    report: () => {
      if (end === null) return null;
      const findings = collectFindings();
      for (const { id, message } of summaries) {
        const [file = null] = id.split('::');
        const section = sections.get(titleOf(id))?.shift();
        const details = section?.lines.join('\n') ?? '';
        const place = (section?.place.file ?? null) === null ? { ...NOWHERE, file } : section?.place;
        findings.add({ ...place, name: id, message: details || message || 'failed' });
      }
      for (let index = 0; index < more; index += 1) findings.add({ message: '' });
      if (summaries.length === 0)
        for (const [name, list] of sections)
          for (const { lines, place } of list) findings.add({ ...place, name, message: lines.join('\n') || 'failed' });
      const skipped = countOf(end, 'skipped') + countOf(end, 'xfailed');
      const failed = countOf(end, 'failed') + countOf(end, 'error');
      return findings.report('pytest', { passed: countOf(end, 'passed'), failed, skipped });
    },
  };
}
