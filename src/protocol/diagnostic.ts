import type { DiagnosticCode } from './generated/diagnostics.gen.ts';

export type Severity = 'error' | 'warning';

/** A place in a manifest file. Line and column count from 1; `pointer` is a JSON pointer (RFC 6901). */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

export interface Related extends Place {
  readonly message: string;
}

/** One finding of the compiler (spec/manifest.md, "Validation"). */
export interface Diagnostic extends Place {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  /** What to do about it, a sentence; holds the "did you mean" where a name is near. */
  readonly advice: string;
  readonly related: readonly Related[];
}

/** What every phase of the compiler returns: never a throw for the user's faults. */
export interface Checked<Value> {
  readonly value: Value | null;
  readonly diagnostics: readonly Diagnostic[];
}
