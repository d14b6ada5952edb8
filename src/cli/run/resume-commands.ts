import { allowedAnswers } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import { elsewhere } from './command-for.ts';
import type { Kept } from './kept.ts';

type Asked = Pick<Halt, 'halt_id' | 'block' | 'why'>;

/** What a person may choose from. `retry` beside `proceed` means the same. */
export function offeredVerbs(why: Halt['why']): readonly Answer['verb'][] {
  const verbs = allowedAnswers(why);
  return verbs.filter((verb) => verb !== 'retry' || !verbs.includes('proceed'));
}

/** The commands that answer a halt, one for each verb; without a graph, none that would have to name a block. `alone`: nothing else of the run waits. */
export function resumeCommands(kept: Kept, halt: Asked, alone: boolean, graph: Graph | null): readonly string[] {
  const which = alone ? [] : ['--halt', halt.halt_id];
  return offeredVerbs(halt.why).flatMap((verb) => {
    if (verb !== 'jump') return [kept.command('resume', ...which, `--${verb}`)];
    return graph === null ? [] : [kept.command('resume', ...which, '--jump', elsewhere(halt.block, graph))];
  });
}

export const haltsOf = ({ details: { halts } }: Response): readonly Halt[] =>
  Array.isArray(halts) ? (halts as readonly Halt[]) : [];

/** Which halts there are is known now, and so is which commands answer them. */
export function withAnswers(response: Response, kept: Kept, graph: Graph): Response {
  const halts = haltsOf(response);
  if (response.reason !== 'halted' || halts.length === 0) return response;
  const answered = halts.map((halt) => ({ ...halt, answers: resumeCommands(kept, halt, halts.length === 1, graph) }));
  return { ...response, details: { ...response.details, halts: answered } };
}
