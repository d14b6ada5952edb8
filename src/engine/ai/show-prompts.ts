import { indexGraph } from '#machines/run/graph-index.ts';
import type { AiService } from '#protocol/ai-service.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Response } from '#protocol/response.ts';
import type { FindWorker, Run, RunOptions, RunPorts } from '#protocol/run.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { Files } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { isScripted, prepareOrder } from '#workers/index.ts';
import { secretText } from '#protocol/outbound.ts';
import { createKnownSecrets } from '../keys/known-secrets.ts';
import { type KeyPlaces, loadKeys } from '../keys/load-keys.ts';
import { redactOrder } from './redact-order.ts';
import { shownPrompt } from './shown-prompt.ts';
import { projectPrices } from '../keys/project-prices.ts';
import { definitionsOf, editsOf } from '../run/find-worker.ts';
import { realPorts } from '../run/ports.ts';
import { startRun } from '../run/start-run.ts';

/** A point where the preview ends, because the next steps depend on a block's result. */
interface PreviewStop {
  readonly block: string;
  readonly why: 'not_sent' | 'not_executed';
}

export interface ShownPrompts {
  readonly stopped: readonly PreviewStop[];
  readonly response: Response;
}

interface Showing {
  readonly directory: string;
  /** The project whose rules decide what may be sent. */
  readonly project: string;
  /** Environment variables. They determine the user's configuration folder, from which the prices are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onPrompt: (prompt: ShownPrompt) => void;
  /** Keys that a call would use; they are redacted as in a real call. */
  readonly keys: KeyPlaces;
  readonly warn: (message: string) => void;
}

/** Replaces the checks of evidence, which would execute commands: all evidence counts as valid. */
const HOLDS: Worker = {
  sideEffects: 'none',
  execute: () =>
    Promise.resolve({
      signal: 'SIGNAL:SUCCESS',
      append: [{ type: 'EVIDENCE', content: '', meta: { summary: 'not checked' } }],
    }),
};

/** Returns file access whose writes do nothing, because scripted edits are not applied. */
const asIfWritten = (files: Files): Files => ({
  ...files,
  settle: () => Promise.resolve(),
  writeAll: () => Promise.resolve(),
});

/**
 * Lets the run pass all gates and single-step halts. That is safe, because a preview executes nothing. Returns false if
 * there were none.
 */
function passGates(run: Run): boolean {
  const gates = run.halts().filter(({ why }) => why === 'gate' || why === 'step');
  for (const { halt_id } of gates) run.answer(halt_id, { verb: 'proceed' });
  return gates.length > 0;
}

/**
 * Follows a run as far as scripts answer, and collects the prompt that each block with a model would send. Only the
 * run's id differs from a real prompt. Sends, executes and writes nothing; files are read.
 */
export async function showPrompts(
  workflow: CompiledWorkflow,
  options: RunOptions,
  { directory, project, environment, onPrompt, keys, warn }: Showing,
): Promise<ShownPrompts> {
  const { prices } = await projectPrices(project, environment);
  const secrets = createKnownSecrets(environment);
  secrets.add((await loadKeys(keys)).secrets);
  const index = indexGraph(workflow.graph);
  const definitionOf = definitionsOf(workflow.graph);
  const ai: Pick<AiService, 'contextTokens'> = { contextTokens: (model) => prices.contextTokens(model) };
  const nobody: AiService = { ...ai, call: () => Promise.reject(new Error('nothing is sent')) };
  const stopped: PreviewStop[] = [];

  const watched =
    (find: FindWorker): FindWorker =>
    (name, block) => {
      const found = find(name, block);
      const definition = definitionOf(name);
      if (found?.manual === true || (found === null && definition?.kind !== 'ai')) return found;
      const answers =
        definition?.kind === 'scripted' || (options.script !== undefined && isScripted(options.script, name, block));
      return {
        sideEffects: 'none',
        execute: async (memory, services, signal) => {
          const isAi = definition?.kind === 'ai';
          if (isAi) {
            const { validation, answer = null } = index.block(memory.system.block);
            // A repair worker has no required answer format.
            const form =
              block === null
                ? { validation: null, edits: null }
                : { validation, answer, edits: editsOf(definition, 'all') };
            const prepared = await prepareOrder(memory, { ...services, ai: nobody }, form);
            const { order, found: inPrompt } = redactOrder(prepared, secrets.all());
            for (const secret of inPrompt) warn(secretText(secret));
            onPrompt(await shownPrompt(order, prices));
          }
          if (answers && found !== null) return found.execute(memory, services, signal);
          stopped.push({ block: memory.system.block, why: isAi ? 'not_sent' : 'not_executed' });
          // This error halts only the current branch. Other branches of a FORK continue.
          throw new RoboSmithError('waits', 'nothing was sent or executed', { why: 'keys', until: null });
        },
      };
    };

  const { files, ...ports } = realPorts(directory, undefined, undefined, undefined, project);
  const readOnly: RunPorts = { ...ports, files: files === null ? null : asIfWritten(files), processes: null };
  const run = startRun(workflow, { ...options, evidence: () => HOLDS }, readOnly, 'where_it_answers', watched);
  let response = await run.settled();
  while (response.reason === 'halted' && passGates(run)) response = await run.settled();
  run.cancel();
  return { stopped, response };
}
