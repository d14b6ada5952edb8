/** Coding agents with a preset; docs/reference/agents.md describes their flags. */
export const AGENTS = ['claude', 'codex', 'gemini'] as const;
export type AgentName = (typeof AGENTS)[number];

/** What an agent may do without asking, from the least to the most: read, change files, everything. */
export const APPROVALS = ['read', 'edit', 'all'] as const;
export type Approvals = (typeof APPROVALS)[number];
