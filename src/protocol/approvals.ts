/** Coding agents with a preset; docs/reference/agents.md describes their flags. */
export const AGENTS = ['claude', 'codex', 'gemini'] as const;
export type AgentName = (typeof AGENTS)[number];

/**
 * What an agent may do without asking, from the least to the most: read, change files, change files and run any command
 * inside a sandbox of the operating system, everything.
 */
export const APPROVALS = ['read', 'edit', 'sandboxed', 'all'] as const;
export type Approvals = (typeof APPROVALS)[number];
