import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { addKey, keyPlaces, loadManifest, projectCalls } from '#engine/authoring.ts';
import { openEngine } from '#engine/index.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';
import { row } from '../../../unit/engine/small-workflow.ts';

const SECRET = 'sk-ant-0123456789abcdef';

/** A part of a request in Anthropic's protocol. */
interface Part {
  readonly text: string;
  readonly cache_control?: { readonly type: string };
}

interface Asked {
  readonly system?: readonly Part[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Part[] }[];
}

/** Estimates the number of tokens: about four characters per token. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** The prefixes of a request that end at a part with a cache marker, and the whole request. */
function prefixesOf({ system = [], messages }: Asked): { readonly marked: readonly string[]; readonly whole: string } {
  const marked: string[] = [];
  let whole = '';
  const take = (role: string, { text, cache_control: marker }: Part): void => {
    whole += `${role}:${text}\n`;
    if (marker?.type === 'ephemeral') marked.push(whole);
  };
  for (const part of system) take('system', part);
  for (const { role, content } of messages) for (const part of content) take(role, part);
  return { marked, whole };
}

let base = '';
let server: Server;
afterEach(() => {
  server.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Starts a server that caches marked prefixes as Anthropic does, and counts the tokens that it reads from its cache.
 */
async function startServer(): Promise<string> {
  const cache = new Set<string>();
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { marked, whole } = prefixesOf(JSON.parse(body) as Asked);
      const hit = [...cache].filter((prefix) => whole.startsWith(prefix)).sort((a, b) => b.length - a.length)[0] ?? '';
      for (const prefix of marked) cache.add(prefix);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-x',
          content: [{ type: 'text', text: 'Changed it.\nSIGNAL:SUCCESS' }],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: tokensOf(whole.slice(hit.length)),
            cache_read_input_tokens: tokensOf(hit),
            cache_creation_input_tokens: 0,
            output_tokens: 10,
          },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Returns a manifest in which a model writes code, a test fails twice, and the model repairs the code. */
const manifestOf = (url: string) => ({
  version: 1,
  entry: 'Main',
  commands: { test: [process.execPath, '-e', 'console.log("1 failed: " + Date.now()); process.exit(1)'] },
  workers: {
    'Worker:M': {
      kind: 'ai',
      provider: 'anthropic',
      model: 'claude-x',
      base_url: url,
      persona: 'You are a careful engineer. '.repeat(40),
      params: { stream: false },
    },
  },
  nodes: {
    Main: {
      entry_block: 'Write',
      static_memory: { rules: 'Small steps. Every change has a test. '.repeat(40) },
      blocks: {
        Write: {
          worker: 'Worker:M',
          contract: 'Write the code, and repair it.',
          transitions: [row('SUCCESS', 'JUMP:Test'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        Test: {
          worker: 'Internal:TestRunner',
          transitions: [
            { ...row('FAILURE', 'JUMP:Write'), condition: { id: 'visits.less_than', args: [3] } },
            row('FAIL_DEFAULT', 'RETURN'),
          ],
        },
      },
    },
  },
});

test('in a repair loop of three turns, the second and third read most of their prompt from the cache', async () => {
  const url = await startServer();
  base = mkdtempSync(path.join(tmpdir(), 'robosmith-cache-'));
  const root = path.join(base, 'project');
  mkdirSync(path.join(root, '.vision'), { recursive: true });
  const file = path.join(root, '.vision/workflows.json');
  writeFileSync(file, JSON.stringify(manifestOf(url)));
  const places = keyPlaces({ ROBOSMITH_CONFIG_DIR: path.join(base, 'config') }, memoryKeychain());
  const key = { alias: 'mine', provider: 'anthropic', baseUrl: url, account: null, pool: null, replace: false };
  await addKey(key, SECRET, places);
  const workflow = (await loadManifest(file))?.compilation.workflow ?? null;
  if (workflow === null) throw new Error('the manifest has errors');
  const opened = openEngine(root, { warn: () => undefined, keys: places });
  if (!opened.ok) throw new Error('somebody else has the engine');
  try {
    const response = await opened.engine
      .start(workflow, { start: { node: workflow.graph.nodes[0]!.id }, input: 'Do it.' }, root)
      .settled();
    expect(response.reason).toBeNull();
  } finally {
    opened.engine.close();
  }
  const turns = [...projectCalls(root).calls].sort((one, other) => one.started_at - other.started_at);
  const shares = turns.map(({ input, cached }) => (cached ?? 0) / (input ?? 1));
  expect(shares).toHaveLength(3);
  expect(shares[0]).toBe(0);
  expect(shares[1]).toBeGreaterThan(0.7);
  expect(shares[2]).toBeGreaterThan(0.7);
  process.stdout.write(`cached shares of three turns: ${shares.map((share) => share.toFixed(2)).join(', ')}\n`);
});
