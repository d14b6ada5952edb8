import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import type { ContextAnswer, ContextQueries, ContextQuery, ToolAnswer } from '#protocol/code-analysis.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { ContextPartitionerService } from '../../../src/engine/code-analysis/context-partitioner-service.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-slices-')));
  await mkdir(path.join(folder, 'src'));
  await writeFile(path.join(folder, 'src', 'a.ts'), 'x'.repeat(3_600));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const OUTLINE = { tool: 'get_file_outline', args: { file_path: '${artifact}' } };
const FOUND = { tool: 'find_symbol', args: { query: '${exports.name}' } };

/** Runs a block with this context slice. Its worker stores the memory that it receives. */
async function runWith(slice: object, answer: (query: ContextQuery) => ContextAnswer, block: object = {}) {
  const manifest = {
    version: 1,
    workers: { 'Worker:Keeps': { kind: 'ai', provider: 'openai', model: 'm' } },
    context_slices: { Names: slice },
    nodes: {
      Main: {
        entry_block: 'Begin',
        blocks: {
          Begin: { worker: 'Worker:Says', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'JUMP:Keep' }] },
          Keep: { worker: 'Worker:Keeps', context_slice: 'Names', artifact: ['src/a.ts'], ...block },
        },
      },
    },
  };
  manifest.workers = { ...manifest.workers, 'Worker:Says': manifest.workers['Worker:Keeps'] } as never;
  const memories: BlockMemory[] = [];
  const events: RoboSmithEvent[] = [];
  const asked: ContextQuery[] = [];
  const context: ContextQueries = {
    ask: (_worktree, { tool, args }) => {
      asked.push({ tool, args });
      return Promise.resolve(answer({ tool, args }));
    },
  };
  const says = {
    sideEffects: 'none',
    execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', exports: { name: 'parse' } }),
  };
  const keeps = {
    sideEffects: 'none',
    execute: (memory: BlockMemory) => {
      memories.push(memory);
      return Promise.resolve({ signal: 'SIGNAL:SUCCESS' });
    },
  };
  const orchestrator = new Orchestrator(manifest as never, {
    ports: { ...realPorts(folder), context },
    workers: { 'Worker:Says': says, 'Worker:Keeps': keeps } as never,
    onEvent: (event: RoboSmithEvent) => void events.push(event),
  });
  const response = await orchestrator.execute('Main');
  const assembled = events.flatMap((event) => (event.type === 'context.assembled' ? [event] : []));
  return { response, memories, asked, assembled };
}

const found = (text: string): ContextAnswer => ({ ok: true, text, tokens: 5, tokensSaved: 995 });
const none: ContextAnswer = { ok: false, code: 'no_active_server', message: 'off' };

describe('the context slice of a block', () => {
  test('goes into layer 4 as text, with its arguments filled, and an event says what it saved', async () => {
    verifies('manifest.memory.context-slice');
    const { memories, asked, assembled } = await runWith({ queries: [OUTLINE, FOUND] }, ({ tool }) =>
      found(`${tool}!`),
    );
    expect(asked).toEqual([
      { tool: 'get_file_outline', args: { file_path: 'src/a.ts' } },
      { tool: 'find_symbol', args: { query: 'parse' } },
    ]);
    const text =
      '## get_file_outline file_path="src/a.ts"\nget_file_outline!\n\n## find_symbol query="parse"\nfind_symbol!';
    const tokens = Math.ceil(text.length / 3.6);
    const facts = { name: 'Names', queries: 2, tokens, tokens_saved: 2_000 - tokens, left_out: 0, failed: [] };
    expect(memories[0]?.artifact.slices).toEqual([{ ...facts, text }]);
    expect(Object.isFrozen(memories[0]?.artifact.slices[0])).toBe(true);
    expect(assembled).toMatchObject([{ block: 'Main__Keep', visit: 1, ...facts }]);
  });

  test('that fails is an error in the slice and an event, and the block runs', async () => {
    const { response, memories, assembled } = await runWith({ queries: [FOUND] }, () => none);
    const failed = [{ query: 'find_symbol query="parse"', code: 'no_active_server', message: 'off' }];
    expect(response.success).toBe(true);
    expect(memories[0]?.artifact.slices).toMatchObject([{ text: '', queries: 0, failed }]);
    expect(assembled).toMatchObject([{ failed }]);
  });

  test('that is required and fails keeps the block from running', async () => {
    const { response, memories } = await runWith({ required: true, queries: [FOUND] }, () => none);
    expect(memories).toEqual([]);
    expect(response).toMatchObject({ success: false, reason: 'precondition_failed' });
    expect(JSON.stringify(response.details)).toContain('no_active_server: off');
  });

  test('is cut at its budget, at the end of a line', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `src/a.ts:${index} function name${index}`).join('\n');
    const { memories } = await runWith({ max_tokens: 100, queries: [FOUND] }, () => found(lines));
    const [slice] = memories[0]?.artifact.slices ?? [];
    expect(slice?.text).toMatch(/ function name\d+\n… \d+ characters left out$/);
    expect(slice?.tokens).toBeLessThan(120);
    expect(slice?.left_out).toBeGreaterThan(2_000);
  });

  test('of a run without a task names no title', async () => {
    const query = { tool: 'code_search', args: { query: 'about ${task.title}' } };
    const { memories } = await runWith({ queries: [query] }, () => found(''));
    expect(memories[0]?.artifact.slices).toMatchObject([{ failed: [{ code: 'unfilled_argument' }] }]);
  });
});

describe('ContextPartitionerService', () => {
  const service = (answer: ToolAnswer, hidden: readonly string[] = []) => {
    const calls: unknown[] = [];
    const queries = new ContextPartitionerService({
      servers: {
        call: (worktree, query) => {
          calls.push({ worktree, ...query });
          return Promise.resolve(answer);
        },
      },
      outbound: () => ({ mayLeave: (file) => Promise.resolve(!hidden.includes(file)) }),
    });
    return { queries, calls };
  };

  test('asks the server of the worktree, and counts what whole files would have cost', async () => {
    const { queries, calls } = service({ ok: true, text: 'src/a.ts', data: { file: 'src/a.ts', symbols: [] } });
    expect(await queries.getFileOutline({ worktreePath: folder, filePath: 'src/a.ts' })).toEqual({
      ok: true,
      text: 'src/a.ts',
      tokens: 3,
      tokensSaved: 997,
    });
    expect(calls).toEqual([{ worktree: folder, tool: 'get_file_outline', args: { file_path: 'src/a.ts' } }]);
  });

  test('takes out of a list what must not leave the machine, with what stands below it', async () => {
    const text = '2 hits for a\nsrc/a.ts:1 (1)\n    a\nkey.pem:1 (1)\n    SECRET\n\n    MORE\nsrc/b.ts:2 (1)\n    b';
    const data = { hits: [{ file: 'src/a.ts' }, { file: 'key.pem' }, { file: 'src/b.ts' }] };
    const { queries } = service({ ok: true, text, data }, ['key.pem']);
    expect(await queries.codeSearch({ worktreePath: folder, query: 'a' })).toMatchObject({
      text: '2 hits for a\nsrc/a.ts:1 (1)\n    a\nsrc/b.ts:2 (1)\n    b',
    });
  });

  test('does not even ask about a file that must not leave, nor hands its source out', async () => {
    const { queries, calls } = service({ ok: true, text: 'SECRET', data: { parts: [{ file: 'key.pem' }] } }, [
      'key.pem',
    ]);
    const refused = { ok: false, code: 'file_ignored' };
    expect(await queries.getFileOutline({ worktreePath: folder, filePath: 'key.pem' })).toMatchObject(refused);
    expect(calls).toEqual([]);
    expect(await queries.getSymbolSource({ worktreePath: folder, name: 'a' })).toMatchObject(refused);
  });
});
