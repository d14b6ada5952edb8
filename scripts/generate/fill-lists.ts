import { applyEdits, type JSONPath, modify } from 'jsonc-parser';
import { format } from 'prettier';
import { AGENTS, APPROVALS } from '../../src/protocol/approvals.ts';
import { PUBLIC_PROVIDERS } from '../../src/protocol/provider.ts';
import { RUN_STATUSES } from '../../src/protocol/run-status.ts';
import { SESSION_STATES } from '../../src/protocol/session.ts';
import type { GeneratedFile } from './generated-file.ts';

interface List {
  readonly at: JSONPath;
  readonly value: string | readonly string[];
}

const NAMED = PUBLIC_PROVIDERS.map((name) => `\`${name}\``).join(', ');

const WORKFLOW: readonly List[] = [
  { at: ['definitions', 'approvals', 'enum'], value: APPROVALS },
  { at: ['definitions', 'agentWorker', 'properties', 'preset', 'enum'], value: AGENTS },
  { at: ['definitions', 'aiWorker', 'properties', 'provider', 'examples'], value: PUBLIC_PROVIDERS },
  {
    at: ['definitions', 'aiWorker', 'properties', 'provider', 'description'],
    value: `${NAMED}, or any OpenAI-compatible endpoint with \`base_url\`.`,
  },
  { at: ['definitions', 'fallback', 'properties', 'provider', 'examples'], value: PUBLIC_PROVIDERS },
];

const VIEW: readonly List[] = [
  { at: ['definitions', 'RunStatus', 'enum'], value: RUN_STATUSES },
  { at: ['definitions', 'SessionState', 'enum'], value: SESSION_STATES },
];

async function fill(path: string, text: string, lists: readonly List[]): Promise<GeneratedFile> {
  const filled = lists.reduce((before, { at, value }) => applyEdits(before, modify(before, at, value, {})), text);
  return { path, text: await format(filled, { parser: 'json', printWidth: 120 }) };
}

/** Writes the lists that stand in the code into the two schemas that are written by hand. */
export const fillLists = (workflow: string, view: string): Promise<readonly [GeneratedFile, GeneratedFile]> =>
  Promise.all([fill('schemas/workflow.schema.json', workflow, WORKFLOW), fill('schemas/view.schema.json', view, VIEW)]);
