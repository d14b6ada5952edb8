import type { Severity } from '#protocol/diagnostic.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** One case of the conformance kit; `README.md` describes every field. */
export interface ConformanceCase {
  readonly id: string;
  readonly requirements: readonly string[];
  readonly about: string;
  readonly manifest?: JsonObject;
  /** The manifest as text, instead of `manifest`, for cases in which the exact bytes matter. */
  readonly text?: string;
  /** The other files of the project: manifests to import, schemas, artifacts. */
  readonly files?: Readonly<Record<string, string>>;
  /** The reasons why files can't be read: imports by path, scripted answers by worker. */
  readonly unreadable?: Readonly<Record<string, string>>;
  /** Built-in workers and block keys that the implementation must treat as not supported. */
  readonly not_in_force?: readonly string[];
  readonly start: string;
  readonly input?: string;
  readonly step_mode?: boolean;
  readonly script: JsonObject;
  readonly expect: Expectation;
}

export interface Expectation {
  readonly success: boolean;
  readonly reason: string | null;
  readonly details?: JsonObject;
  readonly path?: readonly string[];
  readonly payload?: readonly ExpectedSegment[];
  readonly exports?: JsonObject;
  readonly steps?: number;
  readonly depth?: number;
  readonly last_block?: string | null;
  readonly diagnostics?: readonly ExpectedDiagnostic[];
  readonly events?: readonly string[];
  readonly memory?: readonly ExpectedMemory[];
}

export interface ExpectedSegment {
  readonly type: string;
  readonly content: string;
  readonly source: string | null;
}

export interface ExpectedDiagnostic {
  readonly severity: Severity;
  readonly pointer?: string;
  readonly code?: string;
  readonly file?: string;
}

export interface ExpectedMemory {
  readonly at: string;
  readonly payload?: readonly string[];
  readonly inherited?: JsonObject;
  readonly signals?: readonly string[];
  readonly persona?: string | null;
  readonly contract?: string | null;
  readonly exports?: Readonly<Record<string, JsonValue>>;
  readonly returned?: readonly { readonly node: string; readonly signal: string; readonly exports: JsonObject }[];
}
