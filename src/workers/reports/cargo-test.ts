import { collectFindings, type LineReader, NOWHERE } from './finding.ts';
import { readPlace } from './place.ts';

const MOST_LINES = 20;

const RESULT = /^test result: .*? ([0-9]{1,9}) passed; ([0-9]{1,9}) failed; ([0-9]{1,9}) ignored;/;

/** `thread 'name' (1) panicked at src/lib.rs:17:9:` */
function panicPlace(line: string) {
  const at = line.startsWith('thread ') ? line.indexOf(' panicked at ') : -1;
  if (at < 0) return null;
  const told = line.slice(at + ' panicked at '.length);
  return readPlace(told.endsWith(':') ? told.slice(0, -1) : told) ?? NOWHERE;
}

interface Section {
  readonly name: string;
  readonly lines: string[];
  place: typeof NOWHERE;
  isOver: boolean;
}

function inSection(section: Section, line: string): void {
  const place = panicPlace(line);
  if (place !== null) {
    section.place = place;
    section.lines.length = 0;
    section.isOver = false;
  } else if (line.startsWith('stack backtrace:') || line.startsWith('note: ')) section.isOver = true;
  else if (!section.isOver && section.lines.length < MOST_LINES) section.lines.push(line);
}

/** `cargo test`; one report for all the binaries that it runs. */
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
        open = { name: line.slice(5, -' stdout ----'.length), lines: [], place: NOWHERE, isOver: false };
      } else if (line === 'failures:') settle();
      else if (open !== null) inSection(open, line);
    },
    report: () => {
      settle();
      return isCargo ? findings.report('cargo-test', counts) : null;
    },
  };
}
