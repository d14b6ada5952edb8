import { answerCommands } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { elsewhere } from './command-for.ts';
import type { Kept } from './stored-run.ts';

type Asked = Pick<Halt, 'halt_id' | 'block' | 'why'>;

/** Returns one command per answer to a halt. `alone`: the run has no other open halt. */
export const resumeCommands = (kept: Kept, halt: Asked, alone: boolean, graph: Graph): readonly string[] =>
  answerCommands((...flags) => kept.command('resume', ...flags), halt, alone, elsewhere(halt.block, graph));

export const haltsOf = ({ details: { halts } }: Response): readonly Halt[] =>
  Array.isArray(halts) ? (halts as readonly Halt[]) : [];

/** Adds the commands that answer each open halt. */
export function withAnswers(response: Response, kept: Kept, graph: Graph): Response {
  const halts = haltsOf(response);
  if (response.reason !== 'halted' || halts.length === 0) return response;
  const answered = halts.map((halt) => ({ ...halt, answers: resumeCommands(kept, halt, halts.length === 1, graph) }));
  return { ...response, details: { ...response.details, halts: answered } };
}
