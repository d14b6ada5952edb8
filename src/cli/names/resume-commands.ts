import { answerCommands, storedSessionOf } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { missingModuleHint } from '#protocol/missing-module.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { elsewhere } from './command-for.ts';
import type { Kept } from './stored-run.ts';

type Asked = Pick<Halt, 'halt_id' | 'block' | 'why'>;

/** Returns one command per answer to a halt. `alone`: the run has no other open halt. */
export const resumeCommands = (kept: Kept, halt: Asked, alone: boolean, graph: Graph): readonly string[] =>
  answerCommands((...flags) => kept.command('resume', ...flags), halt, alone, elsewhere(halt.block, graph));

export const haltsOf = ({ details: { halts } }: Response): readonly Halt[] =>
  Array.isArray(halts) ? (halts as readonly Halt[]) : [];

/** Returns the command that shows what the run's session has changed; null for a run without a session. */
function diffCommand(root: string, kept: Kept): string | null {
  const session = storedSessionOf(root, kept.run);
  return session === null ? null : kept.inProject('sessions', 'diff', session.id);
}

/** Returns a hint about a dependency that the worktree of a session lacks; null if no output shows one. */
const hintOf = (halts: readonly Halt[]): string | null =>
  halts.map(({ last }) => (last === null ? null : missingModuleHint(last.content))).find((hint) => hint !== null) ??
  null;

/** Adds the commands that answer each open halt, and the one that shows what a person decides on. */
export function withAnswers(response: Response, kept: Kept, graph: Graph, root: string): Response {
  const halts = haltsOf(response);
  if (response.reason !== 'halted' || halts.length === 0) return response;
  const answered = halts.map((halt) => ({ ...halt, answers: resumeCommands(kept, halt, halts.length === 1, graph) }));
  const diff = diffCommand(root, kept);
  const hint = diff === null ? null : hintOf(halts);
  return {
    ...response,
    details: {
      ...response.details,
      halts: answered,
      ...(diff === null ? {} : { diff }),
      ...(hint === null ? {} : { hint }),
    },
  };
}
