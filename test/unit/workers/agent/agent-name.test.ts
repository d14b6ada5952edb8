import { expect, test } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { compile } from '#compiler/index.ts';
import { nameOf } from '../../../../src/workers/agent/plan-conversation.ts';
import { readAgentSettings } from '../../../../src/workers/agent/read-agent-settings.ts';

function nameIn(settings: JsonObject): string {
  const manifest = {
    version: 1,
    workers: { 'Worker:A': { kind: 'agent', ...settings } },
    nodes: { N: { entry_block: 'A', blocks: { A: { worker: 'Worker:A' } } } },
  };
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  const definition = workflow?.graph.workers.find(({ name }) => name === 'Worker:A');
  const block = workflow?.graph.nodes[0]?.blocks[0];
  if (definition === undefined || block === undefined) throw new Error('the manifest has errors');
  return nameOf(readAgentSettings(definition, block, 'all', { ok: false, problem: '', advice: '' }));
}

test.each([
  ['a preset', { preset: 'claude', command: ['npx', '-y', 'x'] }, 'claude'],
  ['a program', { command: ['/opt/bin/fixer'] }, 'fixer'],
  ['a script and what executes it', { command: ['node', 'tools/agent.mjs', '--fast'] }, 'node agent.mjs'],
  ['a program with a flag first', { command: ['node', '--env-file=.env', 'agent.mjs'] }, 'node'],
  ['a program with a text', { command: ['bash', '-c', 'run agent.sh'] }, 'bash'],
  ['a program with a word that is no file', { command: ['fixer', 'secret'] }, 'fixer'],
])('the name of %s', (_, settings, name) => {
  expect(nameIn(settings)).toBe(name);
});
