import type { Diagnostic, RelatedPlace } from '#protocol/diagnostic.ts';
import { type DiagnosticCode, type DiagnosticParams, DIAGNOSTICS } from '#protocol/generated/diagnostics.gen.ts';
import type { LocatedPlace } from './origins.ts';

/** Returns the first sentence of an advice: the suggestion of a name that was probably meant. */
const suggestion = (near: string): string => `Did you mean "${near}"? `;

const WRITTEN = /^Did you mean "(.*?)"\? /;

/** Returns the name that an advice suggests; null if it suggests none. */
export const suggestedIn = (advice: string): string | null => WRITTEN.exec(advice)?.[1] ?? null;

const LONGEST = 160;

/** The maximum length of lists of legal names, which are cut only if a name of the manifest in them is very long. */
const LONGEST_LIST = 1_000;

const LISTS: ReadonlySet<string> = new Set(['known', 'remedy', 'allowed', 'path', 'rule']);

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const escapeControl = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/**
 * Makes text of an untrusted file safe for a message: shortens it, and escapes characters that would control a
 * terminal.
 */
function printable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(CONTROL, escapeControl);
}

/** Fills the `{placeholders}` of a message from `schemas/diagnostics.md`. */
function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/g, (whole: string, name: string) =>
    Object.hasOwn(params, name) ? printable(params[name] ?? '', LISTS.has(name) ? LONGEST_LIST : LONGEST) : whole,
  );
}

/** The maximum number of findings, so that a hostile manifest can't fill the memory with them. */
const LIMIT = 2000;

export interface Extra {
  /** A similar name that the advice suggests ("Did you mean …?"). */
  readonly near?: string | null;
  readonly related?: readonly RelatedPlace[];
}

/**
 * Collects diagnostics. If one is reported again at the same place, for example because a block is inherited twice, it
 * is kept once.
 */
export interface Findings {
  report<Code extends DiagnosticCode>(
    code: Code,
    at: LocatedPlace,
    params: DiagnosticParams[Code],
    extra?: Extra,
  ): void;
  hasErrors(): boolean;
  /** Returns the diagnostics ordered by file and position. */
  sorted(): readonly Diagnostic[];
}

interface PlacedDiagnostic {
  readonly at: LocatedPlace;
  readonly diagnostic: Diagnostic;
}

const isBefore = (left: PlacedDiagnostic, right: PlacedDiagnostic): number =>
  left.at.order - right.at.order ||
  left.at.offset - right.at.offset ||
  (left.diagnostic.code < right.diagnostic.code ? -1 : 1);

function makeDiagnostic(
  code: DiagnosticCode,
  at: LocatedPlace,
  params: Readonly<Record<string, string>>,
  extra: Extra,
): Diagnostic {
  const { severity, message, advice } = DIAGNOSTICS[code];
  const hint = extra.near === undefined || extra.near === null ? '' : suggestion(extra.near);
  return {
    code,
    severity,
    message: fillTemplate(message, params),
    ...at.place,
    advice: `${hint}${fillTemplate(advice, params)}`,
    related: extra.related ?? [],
  };
}

export function createFindings(): Findings {
  const found: PlacedDiagnostic[] = [];
  const seen = new Set<string>();
  let errors = 0;
  const keep = (at: LocatedPlace, diagnostic: Diagnostic): void => {
    const identity = `${diagnostic.code} ${at.order} ${at.offset} ${diagnostic.message}`;
    if (seen.has(identity)) return;
    seen.add(identity);
    const isFull = found.length === LIMIT;
    found.push({ at, diagnostic: isFull ? makeDiagnostic('RS1017', at, { limit: String(LIMIT) }, {}) : diagnostic });
  };
  return {
    report: (code, at, params, extra = {}) => {
      if (DIAGNOSTICS[code].severity === 'error') errors += 1;
      if (found.length <= LIMIT) keep(at, makeDiagnostic(code, at, params, extra));
    },
    hasErrors: () => errors > 0,
    sorted: () => found.sort(isBefore).map(({ diagnostic }) => diagnostic),
  };
}
