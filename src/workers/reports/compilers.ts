import { collectFindings, type Finding, type LineReader } from './finding.ts';
import { readPlace, toNumber } from './place.ts';

type LineFinding = Partial<Finding> & { readonly message: string };

/** Returns a function that creates readers for outputs with one finding per line. */
const byLine = (format: string, read: (line: string) => LineFinding | null) => (): LineReader => {
  const findings = collectFindings();
  return {
    line: (line) => {
      const found = read(line);
      if (found !== null) findings.add(found);
    },
    report: () => (findings.isEmpty() ? null : findings.report(format, null)),
  };
};

const SEVERITIES = ['error', 'warning'] as const;

function severityOf(line: string): Finding['severity'] | null {
  if (line.startsWith('error')) return 'error';
  return line.startsWith('warning') ? 'warning' : null;
}

/** Reads a place such as `src/a.ts(3,5)`. */
function placeInParentheses(text: string) {
  const open = text.lastIndexOf('(');
  const [line = '', column = ''] = text.slice(open + 1, -1).split(',');
  if (open <= 0 || !text.endsWith(')') || toNumber(line) === null) return null;
  return { file: text.slice(0, open), line: toNumber(line), column: toNumber(column) };
}

/** Matches errors that have no place in a file, such as `error TS2688: …`. */
const PLACELESS = /^error (TS[0-9]{1,9}): (.*)$/;

/** Reads a line of tsc: `src/a.ts(3,5): error TS2304: …`, or with `--pretty` `src/a.ts:3:5 - error TS2304: …`. */
function readTsc(line: string): LineFinding | null {
  if (!line.includes(' TS')) return null;
  const [whole, rule = '', message = ''] = PLACELESS.exec(line) ?? [];
  if (whole !== undefined) return { rule, message };
  for (const severity of SEVERITIES)
    for (const sign of [': ', ' - ']) {
      const at = line.indexOf(`${sign}${severity} TS`);
      if (at <= 0) continue;
      const where = line.slice(0, at);
      const place = sign === ': ' ? placeInParentheses(where) : readPlace(where);
      const rest = line.slice(at + sign.length + severity.length + 1);
      const colon = rest.indexOf(': ');
      if (place === null || colon < 0) continue;
      return { ...place, severity, rule: rest.slice(0, colon), message: rest.slice(colon + 2) };
    }
  return null;
}

export const tscReader = byLine('tsc', readTsc);

/** Reads the output of rustc and clippy: `error[E0425]: message`, followed by `  --> src/lib.rs:29:26`. */
export function rustcReader(): LineReader {
  const findings = collectFindings();
  let open: LineFinding | null = null;
  return {
    line: (line) => {
      const severity = severityOf(line);
      const colon = line.indexOf(': ');
      if (severity !== null && colon > 0) {
        const code = line.slice(severity.length, colon);
        const rule = code.startsWith('[') && code.endsWith(']') ? code.slice(1, -1) : null;
        open = code === '' || rule !== null ? { severity, rule, message: line.slice(colon + 2) } : null;
        return;
      }
      if (open === null) return;
      const text = line.trimStart();
      const place = text.startsWith('--> ') ? readPlace(text.slice(4)) : null;
      if (place === null) return;
      findings.add({ ...open, ...place });
      open = null;
    },
    report: () => (findings.isEmpty() ? null : findings.report('rustc', null)),
  };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Matches a host such as `127.0.0.1` or `[::1]`, whose following number is a port and not a line. */
const HOST = /^(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]{2,50}\])$/;

const isAddress = (text: string): boolean => HOST.test(text) || (text.includes('://') && !text.startsWith('file:///'));

/**
 * Uses several simple tests, because a single expression for a file name would backtrack at every dot of a long line.
 */
const isFile = (text: string): boolean => /[./\\]/.test(text) && !/[\s"'<>|=]/.test(text) && !isAddress(text);

/** Reads the message after `file:3:` or `file:3:4:`. The file must contain a dot or a folder, and no blank. */
function readGeneric(line: string): LineFinding | null {
  const end = line.indexOf(': ');
  if (end <= 0 || !isDigit(line.charCodeAt(end - 1))) return null;
  const place = readPlace(line.slice(0, end));
  const file = place?.file ?? null;
  if (place === null || file === null || !isFile(file)) return null;
  const rest = line.slice(end + 2).trim();
  const severity = SEVERITIES.find((one) => rest.startsWith(`${one}: `) || rest.startsWith(`fatal ${one}: `));
  const message = severity === undefined ? rest : rest.slice(rest.indexOf(': ') + 2);
  return message === '' || rest.startsWith('note: ') ? null : { ...place, severity: severity ?? 'error', message };
}

/**
 * Reads lines in the format `file:3:4: message`, which most compilers and linters use: gcc, clang, go, ruff, flake8,
 * mypy, `eslint -f unix`.
 */
export const genericReader = byLine('file-line', readGeneric);

const PROBLEM = /^\s+([0-9]{1,9}):([0-9]{1,9})\s{1,20}(error|warning)\s{1,20}(\S.*)$/;

/** Reads ESLint's default format: the name of a file, followed by its problems. */
export function eslintTextReader(): LineReader {
  const findings = collectFindings();
  let file: string | null = null;
  return {
    line: (line) => {
      const match = file !== null && line.startsWith(' ') ? PROBLEM.exec(line) : null;
      if (match === null) {
        file = line === '' || line.startsWith(' ') ? null : line;
        return;
      }
      const [, row = '', column = '', severity, rest = ''] = match;
      const gap = rest.lastIndexOf('  ');
      findings.add({
        file,
        line: Number(row),
        column: Number(column),
        severity: severity === 'error' ? 'error' : 'warning',
        rule: gap < 0 ? null : rest.slice(gap + 2),
        message: gap < 0 ? rest : rest.slice(0, gap),
      });
    },
    report: () => (findings.isEmpty() ? null : findings.report('eslint', null)),
  };
}
