import { keyPlaces } from '#engine/authoring.ts';
import { showPrompts } from '#engine/index.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson, printJsonLine } from '../print/json.ts';
import { printPrompt, printStopped } from '../print/prompt.ts';
import { harmless } from '../print/style.ts';
import { atStart } from '../project/at-start.ts';
import { startOptions, type StartFlags } from '../run/start-options.ts';

interface ShowPromptFlags extends StartFlags {
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
}

/** Implements `run --show-prompt`: prints what each block with a model would send, and sends nothing. */
export const showPrompt = (
  start: string | undefined,
  options: ShowPromptFlags,
  directory: string,
  io: CliIo,
): Promise<number> =>
  atStart(start, options, { directory, io }, async ({ root, manifest, workflow, start: from }) => {
    const startWith = await startOptions(from, options, manifest, workflow.graph, io, root);
    const prompts: ShownPrompt[] = [];
    const onPrompt = (prompt: ShownPrompt): void => {
      prompts.push(prompt);
      if (options.jsonl === true) printJsonLine(prompt, io.stdout);
      else if (options.json !== true) printPrompt(prompt, io.stdout, io);
    };
    const shown = await showPrompts(workflow, startWith, {
      directory,
      project: root,
      environment: io.env,
      onPrompt,
      keys: keyPlaces(io.env, io.keychain),
      warn: (message) => io.stderr.write(`${harmless(message)}\n`),
    });
    if (options.json === true) printJson({ ok: true, prompts, stopped: shown.stopped }, io.stdout);
    printStopped(shown, prompts.length, io);
    return 0;
  });
