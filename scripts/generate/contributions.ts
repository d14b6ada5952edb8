import { applyEdits, modify } from 'jsonc-parser';
import { format } from 'prettier';
import { COMMANDS, type ContributedCommand } from '../../src/extension/window/commands.ts';
import type { GeneratedFile } from './generated-file.ts';

/** Every command needs a repository. */
const ENABLEMENT = '!roboSmith.noGit';

type Menus = Record<string, { readonly command: string; readonly when?: string; readonly group?: string }[]>;

const ALL = Object.entries<ContributedCommand>(COMMANDS);

const commands = ALL.map(([command, { icon }]) => ({
  command,
  title: `%${command.replace('roboSmith.', 'command.')}%`,
  category: 'RoboSmith',
  ...(icon === undefined ? {} : { icon: `$(${icon})` }),
  enablement: ENABLEMENT,
}));

/** Returns the entries of all menus, in the order in which VS Code shows them. */
function menus(): Menus {
  const found: Menus = { commandPalette: [] };
  for (const [command, one] of ALL) {
    const needed = one.when === undefined ? [] : [one.when];
    for (const { menu, in: condition, group } of one.menus ?? []) {
      const when = [...(condition === undefined ? [] : [condition]), ...needed].join(' && ');
      (found[menu] ??= []).push({ command, when, group });
    }
    for (const when of needed) found['commandPalette']?.push({ command, when });
  }
  for (const entries of Object.values(found))
    entries.sort(({ group: one = '' }, { group: other = '' }) => (one < other ? -1 : one > other ? 1 : 0));
  return found;
}

/** Writes the commands of the extension and their menus into `package.json`. */
export async function generateContributions(manifest: string): Promise<readonly GeneratedFile[]> {
  const edited = [
    [['contributes', 'commands'], commands] as const,
    [['contributes', 'menus'], menus()] as const,
  ].reduce((text, [path, value]) => applyEdits(text, modify(text, [...path], value, {})), manifest);
  return [{ path: 'package.json', text: await format(edited, { parser: 'json-stringify', printWidth: 120 }) }];
}
