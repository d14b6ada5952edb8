import type { Access } from '#protocol/graph.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import { chatOf, type Prompt, type PromptSegment } from '#protocol/prompt.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { whyNothing, writablePaths } from '../writing/write-access.ts';
import type { AgentSettings } from './read-agent-settings.ts';

const segment = (name: string, text: string): PromptSegment => ({
  layer: 2,
  name,
  role: 'system',
  text,
  tokens: estimateTokens(text),
});

function whereToWrite(access: Access, isShared: boolean): string {
  const paths = writablePaths(access);
  if (isShared) return 'You may change any file in this folder except `.git`, `.flow` and `.vision`.';
  if (access.mode === 'strict' || paths.length === 0) return 'You must not change any file: only read, and answer.';
  return `You may change only files that match one of these patterns, and never \`.git\`, \`.flow\` or \`.vision\`:\n${paths.join('\n')}`;
}

type RunSettings = Pick<AgentSettings, 'approvals' | 'preset' | 'hosts'>;

const IN_SANDBOX =
  'You may run commands, such as the tests. They run in a sandbox: they can write only in this folder and in temporary folders, and can neither read keys nor make commits.';

function networkText({ preset, hosts }: RunSettings): string {
  if (preset?.closesNetwork !== true) return '';
  const reached = hosts.length === 0 ? 'no network' : `no other hosts than ${hosts.join(', ')}`;
  return ` They reach ${reached}, except for servers that they start themselves on localhost.`;
}

/** Says which commands the agent may run; an empty text if that is not known. */
function whatToRun(settings: RunSettings): string {
  const { approvals, preset } = settings;
  if (approvals === 'sandboxed') return `${IN_SANDBOX}${networkText(settings)}\n\n`;
  if (approvals === 'all' || preset === null) return '';
  if (!preset.alwaysRuns) return "You can't run commands: no test, no git, no tool of the project.\n\n";
  const written = approvals === 'read' ? 'no file' : 'only in this folder and in temporary folders';
  return `You may run commands. They run in a sandbox: they can write ${written}, and reach no network.\n\n`;
}

/**
 * Returns the prompt segment with the rules for an agent: it can't ask questions, and it may write only where the
 * block's access allows.
 */
function workingRules(access: Access, settings: RunSettings): PromptSegment {
  const { approvals } = settings;
  const isShared = access.mode === 'shared' && approvals !== 'read';
  const where = whereToWrite(
    whyNothing(access) === null && approvals !== 'read' ? access : { mode: 'strict', paths: [] },
    isShared,
  );
  const commit = isShared ? '' : 'Do not commit, and do not change the branch. ';
  return segment(
    'working rules',
    `# How you work here\n\nNobody can answer questions: decide yourself, and say in your answer what you decided.\n\n${where}\n\n${whatToRun(settings)}${commit}Changes elsewhere are rolled back, and count as a failure.\n\nYour last message is your answer.`,
  );
}

/** Inserts the rules for agents after the contract layer of a prompt. */
export function withRules({ segments, cut, tokens }: Prompt, access: Access, settings: RunSettings): Prompt {
  const rules = workingRules(access, settings);
  const at = segments.findLastIndex(({ layer }) => layer === 2) + 1;
  const [first, second, ...others] = tokens;
  return { segments: segments.toSpliced(at, 0, rules), cut, tokens: [first, second + rules.tokens, ...others] };
}

/** The segment that a resumed conversation gets instead of the parts of the prompt that it already received. */
export const GO_ON = segment(
  'go on',
  "# Continue\n\nYou have worked on this before, in this conversation, and were stopped or asked again. Check what already exists, and continue from there; don't repeat work that is already done.",
);

/**
 * Returns a block's memory without the parts that the agent has already received in the resumed conversation: only new
 * payload segments remain, without artifacts and static memory.
 */
export const withoutReceived = (memory: BlockMemory, seen: ReadonlySet<string>): BlockMemory => ({
  ...memory,
  payload: memory.payload.filter(({ id }) => !seen.has(id)),
  artifact: { files: [], slices: [] },
  inherited: {},
});

/**
 * Renders a prompt as one text for an agent. Earlier answers of other models are labelled, because they are not turns
 * of the agent's own conversation.
 */
export function promptText({ segments }: Prompt): string {
  const { instructions, messages } = chatOf(segments);
  const turns = messages.map(({ role, content }) => (role === 'user' ? content : `# An earlier answer\n\n${content}`));
  return `${[instructions, ...turns].join('\n\n')}\n`;
}
