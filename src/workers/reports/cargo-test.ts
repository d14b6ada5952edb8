import { collectFindings, type LineReader, NOWHERE } from './finding.ts';
import { readPlace } from './place.ts';

const MOST_LINES = 20;

const RESULT = /^test result: .*? ([0-9]{1,9}) passed; ([0-9]{1,9}) failed; ([0-9]{1,9}) ignored;/;

const PANICKED = ' panicked at ';

/** Returns the text after `thread 'name' (1) panicked at ` in a line of Rust's output, or null for other lines. */
function panicIn(line: string): string | null {
  const at = line.startsWith('thread ') ? line.indexOf(PANICKED) : -1;
  return at < 0 ? null : line.slice(at + PANICKED.length);
}

interface Section {
  readonly name: string;
  readonly lines: string[];
  place: typeof NOWHERE;
  isOver: boolean;
  /**
   * True within a panic message in the format before Rust 1.73 (`'message', src/lib.rs:17:9`), which may span several
   * lines.
   */
  isQuoted: boolean;
}

function inQuotes(section: Section, line: string): void {
  const end = line.lastIndexOf("', ");
  const place = end < 0 ? null : readPlace(line.slice(end + 3));
  if (section.lines.length < MOST_LINES) section.lines.push(place === null ? line : line.slice(0, end));
  if (place === null) return;
  section.place = place;
  section.isQuoted = false;
  section.isOver = true;
}

/** Starts a Rust panic. The line ends with its place, `src/lib.rs:17:9:`; the message follows on the next lines. */
function beginPanic(section: Section, panicText: string): void {
  section.lines.length = 0;
  section.isOver = false;
  section.isQuoted = panicText.startsWith("'");
  section.place = section.isQuoted
    ? NOWHERE
    : (readPlace(panicText.endsWith(':') ? panicText.slice(0, -1) : panicText) ?? NOWHERE);
  if (section.isQuoted) inQuotes(section, panicText.slice(1));
}

const DID_NOT_PANIC = 'note: test did not panic as expected';

/** Handles the line `note: test did not panic as expected at src/lib.rs:7:4`. */
function withoutPanic(section: Section, line: string): void {
  section.lines.push(DID_NOT_PANIC.slice('note: '.length));
  section.place = readPlace(line.slice(`${DID_NOT_PANIC} at `.length)) ?? NOWHERE;
  section.isOver = true;
}

function inSection(section: Section, line: string): void {
  const panicText = panicIn(line);
  if (panicText !== null) beginPanic(section, panicText);
  else if (line.startsWith(DID_NOT_PANIC)) withoutPanic(section, line);
  else if (line.startsWith('stack backtrace:') || line.startsWith('note: ')) {
    section.isOver = true;
    section.isQuoted = false;
  } else if (section.isQuoted) inQuotes(section, line);
  else if (!section.isOver && section.lines.length < MOST_LINES) section.lines.push(line);
}

/** Reads the output of `cargo test` and merges the results of all test binaries into one report. */
export function cargoTestReader(): LineReader {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let isCargo = false;
  let open: Section | null = null;

  const settle = (): void => {
    if (open !== null)
      findings.add({ ...open.place, name: open.name, message: open.lines.join('\n').trim() || 'failed' });
    open = null;
  };

  return {
    line: (line) => {
      const result = line.startsWith('test result:') ? RESULT.exec(line) : null;
      if (result !== null) {
        settle();
        isCargo = true;
        counts.passed += Number(result[1]);
        counts.failed += Number(result[2]);
        counts.skipped += Number(result[3]);
      } else if (line.startsWith('---- ') && line.endsWith(' stdout ----')) {
        settle();
        open = {
          name: line.slice(5, -' stdout ----'.length),
          lines: [],
          place: NOWHERE,
          isOver: false,
          isQuoted: false,
        };
      } else if (line === 'failures:') settle();
      else if (open !== null) inSection(open, line);
    },
    report: () => {
      settle();
      return isCargo ? findings.report('cargo-test', counts) : null;
    },
  };
}
