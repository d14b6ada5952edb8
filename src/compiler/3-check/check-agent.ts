import { flagOfOurs } from '#protocol/agent-flags.ts';
import { AGENTS } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readList, readString, strings } from '../1-parse/json-reader.ts';

/** What starts the agent may be another program, with flags of its own. */
const ofLauncher = (command: readonly string[]): readonly string[] =>
  /(?:^|[/\\])(?:npx|bunx)(?:\.cmd)?$/.test(command[0] ?? '')
    ? command.slice(1).filter((arg) => arg !== '-y' && arg !== '-p')
    : command.slice(1);

/** An agent needs a program, and its flags can't say more than `approvals` does. */
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
    ['command', ofLauncher(command)],
  ] as const) {
    const flag = flagOfOurs(preset, args);
    if (flag !== null) report('RS2036', { container: settings, member }, { worker, flag, preset });
  }
}
