import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { preconditionFailed } from '#protocol/error.ts';
import type { AnswerRules } from '../ai/read-answer.ts';
import { errorOf, notStarted, resultOf } from './agent-result.ts';
import { type AgentExecution, callUntilValid } from './call-agent.ts';
import { conversationOf } from './plan-conversation.ts';
import { readAgentSettings } from './read-agent-settings.ts';
import { interruptedText, trespassText } from './trespass-text.ts';

async function executionOf(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<AgentExecution> {
  const { agents, definition, block, processes } = services;
  const { worktree } = memory.system;
  if (definition === null) throw preconditionFailed(`${block.worker} is not defined in the manifest`);
  if (agents === undefined || agents === null || processes === null || worktree === null)
    throw preconditionFailed(`${definition.name}: coding agents can't be started in this run`);
  const settings = readAgentSettings(definition, block, agents.most, await agents.probeSandbox());
  const redact = agents.redactor(settings.env);
  return { memory, services: { ...services, agents }, settings, worktree, signal, redact };
}

/**
 * Rolls back the changes that an interrupted execution made outside the block's access. After a crash, this runs before
 * any other code reads the worktree.
 */
async function endLeft({ agents, block }: Services, { system }: BlockMemory): Promise<void> {
  const left = (await agents?.guard.endLeft(system.step)) ?? null;
  const text = left === null ? null : interruptedText(block.id, left);
  if (text !== null) agents?.warn(text);
}

async function execute(execution: AgentExecution, rules: AnswerRules): Promise<WorkerResult> {
  const { memory, services, worktree, redact } = execution;
  const { guard, warn } = services.agents;
  await endLeft(services, memory);
  const watch = await guard.watch(memory.system.step, worktree, services.block.access);
  const calling = callUntilValid(execution, rules);
  await calling.catch(() => undefined);
  const report = await watch.end();
  const call = await calling;
  const { verdict, conversation } = call;
  if (conversation.result.ended === 'not_started') throw notStarted(execution, conversation.result);
  if (verdict.kind === 'ok') return resultOf(execution, call, redact(verdict.text), report, rules);
  const text = trespassText(report);
  if (text !== null) warn(`${services.block.id}: ${text}`);
  throw errorOf(execution, call, verdict, text);
}

/**
 * Returns the worker that runs a coding agent in the worktree. The prompt is built from the block's memory, and the
 * signal is read from the agent's last message.
 */
export const agentWorker = (rules: AnswerRules): Worker => ({
  sideEffects: 'non_idempotent',
  execute: async (memory, services, signal) => execute(await executionOf(memory, services, signal), rules),
  checkCompletion: async (memory, services) => {
    await endLeft(services, memory);
    services.agents?.last(conversationOf(memory));
    return null;
  },
});
