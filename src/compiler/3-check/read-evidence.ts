import type { Evidence } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readNumber, readString, strings } from '../1-parse/json-reader.ts';
import type { Check } from '../2-resolve/desugar-check.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';

/**
 * Describes which keys of a piece of evidence are wrong: it needs exactly one of `command` and `file`. Returns null if
 * it is valid.
 */
function strangeness(written: JsonObject): string | null {
  const [command, file] = [has(written, 'command'), has(written, 'file')];
  if (command === file) return command ? 'both' : 'neither';
  if (command) return has(written, 'contains') ? '`contains` without `file`' : null;
  const key = ['timeout_ms', 'allow_empty', 'sandbox'].find((name) => has(written, name));
  return key === undefined ? null : `\`${key}\` without \`command\``;
}

const commandEvidence = ({
  command,
  timeoutMs,
  allowEmpty,
  sandbox,
}: Pick<Check, 'command' | 'timeoutMs' | 'allowEmpty' | 'sandbox'>): Evidence => ({
  kind: 'command',
  command,
  timeoutMs,
  ...(allowEmpty ? { allowEmpty } : {}),
  ...(sandbox ? { sandbox } : {}),
});

function readOne(list: readonly JsonValue[], index: number, { report }: Diagnose): Evidence | null {
  const written = list[index];
  if (!isObject(written)) return null;
  const actual = strangeness(written);
  if (actual !== null) report('RS2024', { container: list, member: index }, { actual });
  if (has(written, 'command')) {
    const command = strings(readList(written, 'command'));
    const timeoutMs = readNumber(written, 'timeout_ms');
    const isOn = (key: string): boolean => written[key] === true;
    return commandEvidence({ command, timeoutMs, allowEmpty: isOn('allow_empty'), sandbox: isOn('sandbox') });
  }
  const file = readString(written, 'file');
  return file === null ? null : { kind: 'file', file, contains: readString(written, 'contains') };
}

/** Reads the evidence that must hold before a success of the block counts. */
export function readEvidence({ written, check }: ResolvedBlock, diagnose: Diagnose): readonly Evidence[] {
  const list = readList(written, 'evidence') ?? [];
  const read = list.map((_, index) => readOne(list, index, diagnose)).filter((evidence) => evidence !== null);
  if (check === null) return read;
  return [...read, commandEvidence(check)];
}
