import type { Command } from 'commander';
import { styleFor } from './style.ts';
import type { CliIo } from '../terminal/cli-io.ts';

type Line = readonly [command: string, argument: string, about: string];

/** The commands of a first day, in groups. A command that this version does not have is left out. */
const GROUPS: readonly (readonly [title: string, lines: readonly Line[]])[] = [
  [
    'First',
    [
      ['do', '<task>', 'do a task in a worktree of its own, checked by your tests'],
      ['clash', '', 'show which worktrees break each other'],
      ['land', '[name…]', 'merge several branches as one tested act'],
    ],
  ],
  [
    'Workflows',
    [
      ['run', '[name]', 'run a workflow of this repository'],
      ['status', '', 'what runs now'],
      ['inbox', '', 'what waits for you'],
      ['resume', '[name]', 'answer, or go on where a run stopped'],
      ['sessions', '', 'list, show, merge, hold, discard'],
      ['ui', '', 'all of this in the browser'],
    ],
  ],
  [
    'Project',
    [
      ['init', '', 'write workflows for this repository'],
      ['doctor', '', 'check programs, keys and settings'],
      ['docs', '[word]', 'read the manual here'],
    ],
  ],
];

const COLUMN = 16;

/** Returns the help that fits on one screen. */
export function shortHelp(program: Command, io: CliIo): string {
  const { paint } = styleFor(io.stdout, io);
  const known = new Set(program.commands.map((one) => one.name()));
  const lineOf = ([name, argument, about]: Line): string => {
    const gap = ' '.repeat(Math.max(1, COLUMN - name.length - argument.length - (argument === '' ? 0 : 1)));
    return `  ${paint.bold(name)}${argument === '' ? '' : ` ${argument}`}${gap}${about}`;
  };
  const groups = GROUPS.map(([title, lines]) =>
    [paint.dim(title), ...lines.filter(([name]) => known.has(name)).map(lineOf)].join('\n'),
  );
  const more = [
    ['robosmith help <command>', 'its options, with examples'],
    ['robosmith help all', 'every command'],
  ].map(([command = '', about = '']) => `${paint.cyan(command)}${' '.repeat(27 - command.length)}${about}`);
  const parts = [
    `${paint.bold('RoboSmith')} lets agents work in git worktrees and lands what holds together.`,
    `${paint.dim('Usage:')} robosmith <command> [options]`,
    ...groups,
    more.join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}
