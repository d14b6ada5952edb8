import { collectFindings, type LineReader, NOWHERE, type Place } from './finding.ts';
import { toNumber } from './place.ts';

/** An error that ended a Node process, for example a syntax error in a test file. */
export interface NodeCrash extends Place {
  readonly message: string;
}

/**
 * Matches the first line of a crash. It may be preceded by Mocha's own text, or by `# ` from Node's TAP reporter. In an
 * ES module, the file is a URL.
 */
const PLACE =
  /^(?:# )?(?: ?Exception during run: )?((?:file:\/\/\/?)?(?:[A-Za-z]:)?[^:]{1,1000}|node:[^:]{1,1000}):([0-9]{1,9})$/;

/** Matches the `^` mark below the source line, at most two lines below the line with the place. */
const CARET = /^\s*(?:# )?\s*[\^~]+\s*$/;
const MOST_ABOVE_CARET = 2;

const ERROR = /^(?:[A-Z][A-Za-z]*(?:Error|Exception)|Error)(?: ?\[[^\]]{1,100}\])?: ./;

/** Matches the file that imports a missing module. */
const IMPORTED_FROM = / imported from (.{1,1000})$/;
const REQUIRED_BY = /^- (.{1,1000})$/;

/** Matches the message that Node reports for a test file whose process has ended with an error. */
export const NO_MESSAGE = /^'?test failed'?$/;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'source'; readonly place: Place; readonly lines: number }
  | { readonly kind: 'marked'; readonly place: Place }
  /** The error is known. A list of files that require the missing module may follow. */
  | { readonly kind: 'recorded' };

const placeOf = (file: string, line: string): Place =>
  file.startsWith('node:') ? NOWHERE : { file, line: toNumber(line), column: null };

/** Finds crashes of Node in an output, line by line. */
export function nodeCrashes() {
  let state: State = { kind: 'idle' };
  let last: NodeCrash | null = null;

  const begin = (line: string): State => {
    const [, file, number = ''] = PLACE.exec(line) ?? [];
    return file === undefined ? { kind: 'idle' } : { kind: 'source', place: placeOf(file, number), lines: 0 };
  };

  const recordCrash = (place: Place, message: string): State => {
    const importer = IMPORTED_FROM.exec(message)?.[1];
    last = { ...(place.file === null && importer !== undefined ? { ...NOWHERE, file: importer } : place), message };
    return { kind: 'recorded' };
  };

  const next = (text: string): State => {
    if (state.kind === 'source' && CARET.test(text)) return { kind: 'marked', place: state.place };
    if (state.kind === 'source' && state.lines < MOST_ABOVE_CARET) return { ...state, lines: state.lines + 1 };
    if (state.kind === 'marked' && text === '') return state;
    if (state.kind === 'marked' && ERROR.test(text)) return recordCrash(state.place, text);
    const required = state.kind === 'recorded' && last !== null && last.file === null ? REQUIRED_BY.exec(text) : null;
    if (required !== null && last !== null) last = { ...last, file: required[1] ?? null };
    if (state.kind === 'recorded' && text !== '' && !text.startsWith('at ')) return state;
    return begin(text);
  };

  return {
    line: (line: string): void => {
      // Nearly all lines of a log end here.
      if (state.kind === 'idle' && !/:[0-9]{1,9}$/.test(line)) return;
      const bare = line.startsWith('# ') ? line.slice(2) : line;
      state = state.kind === 'recorded' || state.kind === 'marked' ? next(bare.trim()) : next(bare);
    },
    /** Returns the last crash and removes it. */
    take: (): NodeCrash | null => {
      const crash = last;
      last = null;
      state = { kind: 'idle' };
      return crash;
    },
  };
}

/** Reads the output of a test runner in which Node crashed before any test was reported. */
export function nodeCrashReader(): LineReader {
  const crashes = nodeCrashes();
  return {
    line: crashes.line,
    report: () => {
      const crash = crashes.take();
      if (crash === null) return null;
      const findings = collectFindings();
      findings.add(crash);
      return findings.report('node', null);
    },
  };
}
