import { keyPlaces, refusalResponse } from '#engine/authoring.ts';
import { showPrompts } from '#engine/index.ts';
import { EXIT_CODE, type Response } from '#protocol/response.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { printJson, printJsonLine } from '../print/json.ts';
import { printPrompt, printStopped } from '../print/prompt.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless } from '../print/style.ts';
import { findStart } from '../run/find-start.ts';
import { projectRoot } from '../project/in-project.ts';
import { startOptions, type StartFlags } from '../run/start-options.ts';

interface ShowPromptFlags extends StartFlags {
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
}

/** Implements `run --show-prompt`: prints what each block with a model would send, and sends nothing. */
export async function showPrompt(
  start: string | undefined,
  options: ShowPromptFlags,
  directory: string,
  io: CliIo,
): Promise<number> {
  const refused = (response: Response): number => {
    printRefusal(response, options.json === true ? { json: true } : {}, io);
    return exitCode(response);
  };
  const project = await projectRoot(directory, io);
  if ('reason' in project) return refused(refusalResponse(project.reason, { message: project.message }));
  const { root } = project;
  const manifest = await openManifest(options.manifest, [io.cwd, directory], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    if (options.json === true) printJson({ ok: false, diagnostics: manifest.findings }, io.stdout);
    return EXIT_CODE.invalid_graph;
  }
  const found = findStart(start, workflow.graph);
  if ('message' in found)
    return refused(refusalResponse('unknown_node', { message: found.message, known: found.known }));
  const startWith = await startOptions(found.start, options, manifest, workflow.graph, io, root);
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
}
