import type { Evidence } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readString, strings } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';

function readOne(list: readonly JsonValue[], index: number, { report }: Diagnose): Evidence | null {
  const written = list[index];
  if (!isObject(written)) return null;
  const [command, file] = [has(written, 'command'), has(written, 'file')];
  if (command === file) report('RS2024', { container: list, member: index }, { actual: command ? 'both' : 'neither' });
  if (command) return { command: strings(readList(written, 'command')) };
  const path = readString(written, 'file');
  return path === null ? null : { file: path };
}

/** What must hold before a success of the block counts. */
export function readEvidence({ written }: ResolvedBlock, diagnose: Diagnose): readonly Evidence[] {
  const list = readList(written, 'evidence') ?? [];
  return list.map((_, index) => readOne(list, index, diagnose)).filter((evidence) => evidence !== null);
}
