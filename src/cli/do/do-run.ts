import { commandText } from './command-argv.ts';
import { NAMES } from './workflow-text.ts';
import { AGENTS } from '#protocol/approvals.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Halt } from '#protocol/response.ts';

/** What the lines of a task call its parts. */
export interface DoNames {
  readonly agent: string;
  readonly check: string | null;
}

const wordsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Returns the names of a task's parts from its workflow. */
export function namesOf({ workers, commands, nodes }: Graph): DoNames {
  const settings = workers.find(({ name }) => name === 'Worker:Agent')?.settings ?? {};
  const preset = AGENTS.find((one) => one === settings['preset']);
  const model = typeof settings['model'] === 'string' ? settings['model'] : null;
  const work = nodes.flatMap(({ blocks }) => blocks).find(({ id }) => id === NAMES.work);
  const { test } = commands;
  return {
    agent: preset ?? model ?? commandText(wordsOf(settings['command'])),
    check: work === undefined || work.evidence.length === 0 || test === undefined ? null : commandText(test),
  };
}

/** Returns whether a halt is the decision about finished work. */
export const isReady = ({ block, why }: Pick<Halt, 'block' | 'why'>): boolean =>
  block === NAMES.decide && why === 'manual';
