import type { AgentService, AgentTalk } from '#protocol/agent.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Validation } from '#protocol/graph.ts';
import type { Prompt } from '#protocol/prompt.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { hasDefault, renderPrompt } from '../ai/render-prompt.ts';
import { GO_ON, unheard, withRules } from './agent-prompt.ts';
import type { AgentSettings } from './read-agent-settings.ts';

/** What an agent is told, and in which of its conversations. */
export interface Plan {
  readonly conversation: string;
  readonly prompt: Prompt;
  /** The agent's own id of the conversation that goes on; null: a new one. */
  readonly resume: string | null;
  /** Ids of the segments that it then knows. */
  readonly seen: readonly string[];
}

export const nameOf = ({ preset, command }: AgentSettings): string =>
  preset?.name ?? command[0].split(/[/\\]/).at(-1) ?? command[0];

/** Of one block in one frame: branches of a FORK don't talk into each other's. */
export const conversationOf = ({ system }: BlockMemory): string => `${system.run}${system.frame}#${system.block}`;

const goesOn = (talk: AgentTalk | null, { system }: BlockMemory, settings: AgentSettings): talk is AgentTalk =>
  talk !== null &&
  talk.session !== null &&
  settings.preset !== null &&
  talk.agent === nameOf(settings) &&
  talk.outcome !== 'no_conversation' &&
  (settings.goesOn === 'block' || (settings.goesOn === 'retry' && talk.visit === system.step));

function rendered(
  memory: BlockMemory,
  validation: Validation | null,
  { contextTokens, approvals }: AgentSettings,
  { definition, block }: Services,
): Prompt {
  const made = renderPrompt(memory, { validation, edits: null, hasDefault: hasDefault(block) }, contextTokens);
  if (!made.ok)
    throw new RoboSmithError(
      'precondition_failed',
      `${definition?.name ?? block.worker}: the contract and the newest segment have about ${made.needed} tokens, and it takes ${made.limit}: nothing was sent`,
    );
  return withRules(made.prompt, block.access, approvals);
}

/** The whole prompt in a new conversation. */
export function planAnew(
  memory: BlockMemory,
  validation: Validation | null,
  settings: AgentSettings,
  services: Services,
): Plan {
  return {
    conversation: conversationOf(memory),
    prompt: rendered(memory, validation, settings, services),
    resume: null,
    seen: memory.payload.map(({ id }) => id),
  };
}

/** Goes on with the conversation that a failed or broken attempt has left, and tells what is new; else begins anew. */
export function planTalk(
  memory: BlockMemory,
  validation: Validation | null,
  settings: AgentSettings,
  services: Services & { readonly agents: AgentService },
): Plan {
  const talk = services.agents.last(conversationOf(memory));
  if (!goesOn(talk, memory, settings)) return planAnew(memory, validation, settings, services);
  const own = memory.payload.filter(({ meta }) => meta['session'] === talk.session).map(({ id }) => id);
  const { segments, cut, tokens } = rendered(
    unheard(memory, new Set([...talk.seen, ...own])),
    validation,
    settings,
    services,
  );
  const [first, second, ...others] = tokens;
  return {
    ...planAnew(memory, validation, settings, services),
    prompt: { segments: [GO_ON, ...segments], cut, tokens: [first, second + GO_ON.tokens, ...others] },
    resume: talk.session,
  };
}
