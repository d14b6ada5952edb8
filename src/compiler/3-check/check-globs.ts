import { whyCostly } from '#protocol/costly-glob.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readList, readObject } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';

const LONGEST_SHOWN = 80;

function checkGlob(value: JsonValue | undefined, spot: Spot, { report }: Diagnose): void {
  const problem = typeof value === 'string' ? whyCostly(value) : null;
  if (problem === null || typeof value !== 'string') return;
  const pattern = value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
  report('RS2052', spot, { pattern, problem });
}

function checkList(list: readonly JsonValue[], diagnose: Diagnose): void {
  for (const [member, value] of list.entries()) checkGlob(value, { container: list, member }, diagnose);
}

function checkEvidence(written: JsonObject, diagnose: Diagnose): void {
  for (const piece of readList(written, 'evidence') ?? [])
    if (isObject(piece)) checkGlob(piece['file'], { container: piece, member: 'file' }, diagnose);
}

/** Reports the block's patterns for files that could take very long to match. */
export function checkGlobs({ written }: ResolvedBlock, diagnose: Diagnose): void {
  checkGlob(written['artifact'], { container: written, member: 'artifact' }, diagnose);
  checkList(readList(written, 'artifact') ?? [], diagnose);
  checkList(readList(readObject(written, 'access') ?? {}, 'paths') ?? [], diagnose);
  checkEvidence(written, diagnose);
}
