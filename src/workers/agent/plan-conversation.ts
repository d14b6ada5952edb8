import type { AgentService, AgentConversation } from '#protocol/agent.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Prompt } from '#protocol/prompt.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import type { ProjectRules } from '../ai/project-rules.ts';
import type { AnswerRules } from '../ai/read-answer.ts';
import { askAgain, dataRequest, withRepair } from '../ai/ask-again.ts';
import { choicesOf, renderPrompt } from '../ai/render-prompt.ts';
import { GO_ON, withoutReceived, withRules } from './agent-prompt.ts';
import type { AgentSettings } from './read-agent-settings.ts';

/** The prompt for an agent, and the conversation that it belongs to. */
export interface ConversationPlan {
  readonly conversation: string;
  readonly prompt: Prompt;
  /** The id that the agent gave to the conversation to resume; null for a new conversation. */
  readonly resume: string | null;
  /** Ids of the payload segments that the agent has received once this prompt is sent. */
  readonly seen: readonly string[];
}

const baseName = (word: string): string => word.split(/[/\\]/).at(-1) ?? word;

/** Matches the file of a script, such as `agent.mjs` or `tools/agent.py`. */
const SCRIPT = /^(?!-)\S{1,80}\.[a-z]{1,4}$/i;

/**
 * Returns the name of an agent: its preset, or its program with the script that it executes, because `node` alone does
 * not say which agent it is.
 */
export function nameOf({ preset, command: [program, first] }: AgentSettings): string {
  if (preset !== null) return preset.name;
  return [program, ...(first !== undefined && SCRIPT.test(first) ? [first] : [])].map(baseName).join(' ');
}

/**
 * Returns the key of a conversation: one per run, frame and block, so that branches of a FORK have separate
 * conversations.
 */
export const conversationOf = ({ system }: BlockMemory): string => `${system.run}${system.frame}#${system.block}`;

const goesOn = (
  talk: AgentConversation | null,
  { system }: BlockMemory,
  settings: AgentSettings,
): talk is AgentConversation =>
  talk !== null &&
  talk.session !== null &&
  settings.preset !== null &&
  talk.agent === nameOf(settings) &&
  talk.outcome !== 'no_conversation' &&
  (settings.goesOn === 'block' || (settings.goesOn === 'retry' && talk.visit === system.step));

type TalkRules = Pick<AnswerRules, 'validation' | 'answer' | 'writer'> & { readonly projectRules: ProjectRules | null };

function rendered(
  memory: BlockMemory,
  rules: TalkRules,
  settings: AgentSettings,
  { definition, block }: Services,
): Prompt {
  const made = renderPrompt(memory, { ...rules, edits: null, ...choicesOf(block) }, settings.contextTokens);
  if (!made.ok)
    throw new RoboSmithError(
      'precondition_failed',
      `${definition?.name ?? block.worker}: the contract and the newest segment have about ${made.needed} tokens, but its limit is ${made.limit}; nothing was sent`,
    );
  return withRules(made.prompt, block.access, settings);
}

/** Plans a new conversation with the whole prompt. */
export function planAnew(
  memory: BlockMemory,
  rules: TalkRules,
  settings: AgentSettings,
  services: Services,
): ConversationPlan {
  return {
    conversation: conversationOf(memory),
    prompt: rendered(memory, rules, settings, services),
    resume: null,
    seen: memory.payload.map(({ id }) => id),
  };
}

/**
 * Plans to resume the conversation of an earlier attempt with only the data that is new since then. If no conversation
 * can be resumed, plans a new one.
 */
export function planConversation(
  memory: BlockMemory,
  rules: TalkRules,
  settings: AgentSettings,
  services: Services & { readonly agents: AgentService },
): ConversationPlan {
  const talk = services.agents.last(conversationOf(memory));
  if (!goesOn(talk, memory, settings)) return planAnew(memory, rules, settings, services);
  const own = memory.payload.filter(({ meta }) => meta['session'] === talk.session).map(({ id }) => id);
  const { segments, cut, tokens } = rendered(
    withoutReceived(memory, new Set([...talk.seen, ...own])),
    { ...rules, projectRules: null },
    settings,
    services,
  );
  const [first, second, ...others] = tokens;
  return {
    ...planAnew(memory, rules, settings, services),
    prompt: { segments: [GO_ON, ...segments], cut, tokens: [first, second + GO_ON.tokens, ...others] },
    resume: talk.session,
  };
}

/**
 * Plans a repeated request for an answer: in the same conversation, or, if none can be resumed, in a new one with the
 * whole prompt, the previous answer and its problem.
 */
export function planAgain(
  first: ConversationPlan,
  session: string | null,
  said: string,
  problem: string,
): ConversationPlan {
  if (session === null) return { ...first, prompt: withRepair(first.prompt, said, dataRequest(problem)), resume: null };
  const asks = askAgain(dataRequest(problem));
  return { ...first, prompt: { segments: [asks], cut: [], tokens: [asks.tokens, 0, 0, 0, 0] }, resume: session };
}
