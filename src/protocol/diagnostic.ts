import type { Ordinal } from './count.ts';
import type { DiagnosticCode } from './generated/diagnostics.gen.ts';

export type Severity = 'error' | 'warning';

/** A place in a manifest file. Line and column count from 1; `pointer` is a JSON pointer (RFC 6901). */
export interface Place {
  readonly file: string;
  readonly line: Ordinal;
  readonly column: Ordinal;
  readonly pointer: string;
}

export interface RelatedPlace extends Place {
  readonly message: string;
}

/** One finding of the compiler. */
export interface Diagnostic extends Place {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  /** A sentence that says what to do, with a "did you mean" if there is a similar name. */
  readonly advice: string;
  readonly related: readonly RelatedPlace[];
}

/**
 * The result of a compiler phase. A phase reports mistakes in the manifest as diagnostics and never throws for them.
 */
export interface PhaseResult<Value> {
  readonly value: Value | null;
  readonly diagnostics: readonly Diagnostic[];
}
