import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readFlag, readList } from '../1-parse/json-reader.ts';

/** A line for a shell is one text: arguments that are joined would be read anew, by other rules. */
export function checkShellCommand(settings: JsonObject, owner: string, { report }: Diagnose): void {
  const command = readList(settings, 'command');
  if (readFlag(settings, 'shell') !== true || command === null || command.length === 1) return;
  report('RS2029', { container: settings, member: 'command' }, { owner, actual: String(command.length) });
}
