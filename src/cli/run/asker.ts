import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { OutputFlags, Reporter } from '../print/reporter.ts';
import type { AskPerson } from '../names/person.ts';

/** Returns a function that asks the person at the terminal; null without a terminal or for JSON output. */
export function askerFor(
  graph: Graph,
  root: string,
  reporter: Reporter,
  { json, jsonl }: OutputFlags,
  io: CliIo,
): AskPerson | null {
  if (!io.interactive || json === true || jsonl === true) return null;
  let ask: AskPerson | null = null;
  return async (halt, allowed, response, over) => {
    reporter.asking(halt, response);
    ask ??= (await import('../ask/ask-person.ts')).askPerson(graph, root, io);
    return ask(halt, allowed, response, over);
  };
}
