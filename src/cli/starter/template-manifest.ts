import { TEMPLATES } from '#engine/authoring.ts';
import type { AgentName } from '#protocol/approvals.ts';
import { commandsText, type WorktreeSection, worktreeText } from './manifest.ts';

/** Workers for a project in which no coding agent was found. */
const SCRIPTED = `  "workers": {
    // Answers from a file, to try it without an agent. For an agent that you have installed, write instead:
    //   { "kind": "agent", "preset": "claude" }   (or "codex", "gemini"; for the reviewer with "approvals": "read")
    // For a model with an API key:
    //   { "kind": "ai", "provider": "anthropic", "model": "…", "mode": "loom" }   (for the reviewer without "mode")
    // For a model on this machine, without a key:
    //   { "kind": "ai", "provider": "openai-compatible", "model": "…", "base_url": "http://127.0.0.1:11434/v1", "mode": "loom" }
    // An agent reads the project itself. A model sees only the files that the "artifact" of a block names: add it.
    "Worker:Coder": { "kind": "scripted", "answers": "./answers.json" },
    "Worker:Reviewer": { "kind": "scripted", "answers": "./answers.json" }
  },`;

const agentWorkers = (preset: AgentName): string => `  "workers": {
    "Worker:Coder": { "kind": "agent", "preset": "${preset}" },
    "Worker:Reviewer": { "kind": "agent", "preset": "${preset}", "approvals": "read" }
  },`;

/** Scripted answers for every block of a template: all goes well. */
export const TEMPLATE_ANSWERS = `{
  // Every block succeeds. Name a block to let it answer something else: "FixBug__Repair": [{ "signal": "SIGNAL:FAILURE" }]
  "*": [{ "signal": "SIGNAL:SUCCESS" }]
}
`;

/** Returns the manifest of a template, with the project's commands and with workers for the agent that was found. */
export function templateManifest(
  name: string,
  commands: Readonly<Record<string, readonly string[]>>,
  agent: AgentName | null,
  worktree: WorktreeSection | null = null,
): string {
  const text = TEMPLATES[name]?.text ?? '';
  const own = `  "commands": ${commandsText(commands)},\n${worktreeText(worktree)}${agent === null ? SCRIPTED : agentWorkers(agent)}\n`;
  return text.replace(/^ {2}"default_transitions"/m, () => `${own}  "default_transitions"`);
}

/** Returns an example of the inputs that a template asks for, as flags. */
export const exampleInputs = (name: string): string =>
  (TEMPLATES[name]?.required ?? []).map((input) => ` --input ${input}="..."`).join('');
