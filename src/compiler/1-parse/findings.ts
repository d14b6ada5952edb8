import type { Diagnostic, Related } from '#protocol/diagnostic.ts';
import { DIAGNOSTICS } from '#protocol/generated/diagnostics.gen.ts';
import type { DiagnosticCode, DiagnosticParams } from '#protocol/generated/diagnostics.gen.ts';
import { fillTemplate } from './fill-template.ts';
import type { LocatedPlace } from './origins.ts';
import { suggestion } from './suggestion.ts';

/** The maximum number of findings, so that a hostile manifest can't fill the memory with them. */
const LIMIT = 2000;

export interface Extra {
  /** A similar name that the advice suggests ("Did you mean …?"). */
  readonly near?: string | null;
  readonly related?: readonly Related[];
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
