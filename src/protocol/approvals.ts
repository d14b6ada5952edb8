/** Coding agents whose command lines we know (docs/agents.md). */
export const AGENTS = ['claude', 'codex', 'gemini'] as const;
export type AgentName = (typeof AGENTS)[number];

/** What an agent may do without asking, from the least to the most: look, change files, everything. */
export const APPROVALS = ['read', 'edit', 'all'] as const;
export type Approvals = (typeof APPROVALS)[number];
