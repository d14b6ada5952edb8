import { answerCommands, storedSessionOf } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { elsewhere } from './command-for.ts';
import type { StoredRunCommands } from './stored-run-commands.ts';

type AnswerableHalt = Pick<Halt, 'halt_id' | 'block' | 'why'>;

/** Returns one command per answer to a halt. */
export const resumeCommands = (kept: StoredRunCommands, halt: AnswerableHalt, graph: Graph): readonly string[] =>
  answerCommands((...flags) => kept.command('resume', ...flags), halt, elsewhere(halt.block, graph));

export const haltsOf = ({ details: { halts = [] } }: Response): readonly Halt[] => halts;

/** Returns the command that shows what the run's session has changed; null for a run without a session. */
function diffCommand(root: string, kept: StoredRunCommands): string | null {
  const session = storedSessionOf(root, kept.run);
  return session === null ? null : kept.inProject('sessions', 'diff', session.id);
}

/** Adds the commands that answer each open halt, and the one that shows what a person decides on. */
export function withAnswers(response: Response, kept: StoredRunCommands, graph: Graph, root: string): Response {
  const halts = haltsOf(response);
  if (response.reason !== 'halted' || halts.length === 0) return response;
  const answered = halts.map((halt) => ({ ...halt, answers: resumeCommands(kept, halt, graph) }));
  const diff = diffCommand(root, kept);
  return { ...response, details: { ...response.details, halts: answered, ...(diff === null ? {} : { diff }) } };
}
