import { argumentsInCommand, refusedArgument } from '#protocol/agent-flags.ts';
import { AGENTS } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readList, readString, strings } from '../1-parse/json-reader.ts';

/** Reports an agent worker without a program, and arguments that would allow more than its `approvals`. */
export function checkAgent(worker: string, settings: JsonObject, { report }: Diagnose): void {
  const preset = AGENTS.find((one) => one === readString(settings, 'preset'));
  const command = strings(readList(settings, 'command') ?? []);
  if (preset === undefined) {
    if (settings['preset'] === undefined && settings['command'] === undefined)
      report('RS2035', { container: settings, member: 'kind' }, { worker });
    return;
  }
  for (const [member, args] of [
    ['args', strings(readList(settings, 'args') ?? [])],
    ['command', argumentsInCommand(preset, command)],
  ] as const) {
    const flag = refusedArgument(preset, args);
    if (flag !== null) report('RS2036', { container: settings, member }, { worker, flag, preset });
  }
}
