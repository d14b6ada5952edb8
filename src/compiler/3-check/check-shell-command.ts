import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readFlag, readList } from '../1-parse/json-reader.ts';

/**
 * Reports a shell command of several strings. It must be one string, because the shell would parse joined arguments
 * differently.
 */
export function checkShellCommand(settings: JsonObject, owner: string, { report }: Diagnose): void {
  const command = readList(settings, 'command');
  if (readFlag(settings, 'shell') !== true || command === null || command.length === 1) return;
  report('RS2029', { container: settings, member: 'command' }, { owner, actual: String(command.length) });
}
