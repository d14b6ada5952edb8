import type { RelatedPlace } from '#protocol/diagnostic.ts';
import type { DiagnosticCode, DiagnosticParams } from '#protocol/generated/diagnostics.gen.ts';
import { createFindings } from './findings.ts';
import type { Extra, Findings } from './findings.ts';
import { createNearestName } from './nearest-name.ts';
import type { NearestName } from './nearest-name.ts';
import { locate } from './origins.ts';
import type { LocatedPlace, Origin, Spot } from './origins.ts';

/**
 * The tools that every phase uses to report problems: the findings, the origins of all values, and a search for similar
 * names.
 */
export interface Diagnose {
  readonly findings: Findings;
  readonly origins: Map<object, Origin>;
  readonly nearest: NearestName;
  at(spot: Spot): LocatedPlace;
  report<Code extends DiagnosticCode>(code: Code, spot: Spot, params: DiagnosticParams[Code], extra?: Extra): void;
  related(spot: Spot, message: string): RelatedPlace;
}

export function createDiagnose(): Diagnose {
  const findings = createFindings();
  const origins = new Map<object, Origin>();
  const at = (spot: Spot): LocatedPlace => locate(origins, spot);
  return {
    findings,
    origins,
    nearest: createNearestName(),
    at,
    report: (code, spot, params, extra) => {
      findings.report(code, at(spot), params, extra);
    },
    related: (spot, message) => ({ ...at(spot).place, message }),
  };
}
