import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import type { ContextAnswer, ContextQueries, ContextQuery } from '#protocol/code-analysis.ts';
import type { JsonObject } from '#protocol/json.ts';
import { Orchestrator } from '../../../src/index.ts';
import { verifies } from '../../e2e/verifies.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
  await mkdir(path.join(folder, 'src'));
  for (const name of ['a.ts', 'b.ts']) await writeFile(path.join(folder, 'src', name), '');
});
afterEach(() => removeFolder(folder));

const found = (text: string): ContextAnswer => ({ ok: true, text, tokens: 10, tokensSaved: 90 });
const gone: ContextAnswer = { ok: false, code: 'server_gone', message: 'it has ended' };

const server = (answer: (query: ContextQuery) => ContextAnswer) => {
  const asked: (readonly [string, ContextQuery['tool'], JsonObject])[] = [];
  const context: ContextQueries = {
    ask: (worktree, { tool, args }) => {
      asked.push([worktree, tool, args]);
      return Promise.resolve(answer({ tool, args }));
    },
  };
  return { asked, context };
};

async function asking(slice: JsonObject, context: ContextQueries | null, block: object = {}) {
  const manifest = {
    version: 1,
    workers: { 'Worker:Says': { kind: 'ai', provider: 'openai', model: 'm' } },
    context_slices: { S: slice },
    nodes: {
      Main: {
        entry_block: 'Say',
        blocks: {
          Say: { worker: 'Worker:Says', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'JUMP:Ask' }] },
          Ask: { worker: 'Internal:ContextQuery', context_slice: 'S', ...block },
        },
      },
    },
  } as const;
  const exports = { 'find.name': 'parse', 'find.most': 3 };
  const says = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', exports }) } as const;
  const ports = { ...realPorts(folder), ...(context === null ? {} : { context }) };
  const response = await new Orchestrator(manifest as never, { ports, workers: { 'Worker:Says': says } }).execute(
    'Main',
  );
  const segments = response.data.payload.map(({ type, content, meta }) => ({ type, content, meta }));
  return { signal: response.path.at(-1)?.signal, reason: response.reason, details: response.details, segments };
}

const OUTLINE = { tool: 'get_file_outline', args: { file_path: 'src/a.ts' } };
const SEARCH = {
  tool: 'code_search',
  args: { query: 'how ${exports.find.name} works', max_results: '${exports.find.most}' },
};

describe('a slice', () => {
  test('is asked for, its arguments filled in, and appended in its order', async () => {
    verifies('workers.context-query');
    const { asked, context } = server(({ tool }) => found(`of ${tool}`));
    const { signal, segments } = await asking({ queries: [SEARCH, OUTLINE] }, context);
    expect(asked).toEqual([
      [folder, 'code_search', { query: 'how parse works', max_results: 3 }],
      [folder, 'get_file_outline', { file_path: 'src/a.ts' }],
    ]);
    expect([signal, segments]).toEqual([
      'SIGNAL:SUCCESS',
      [
        {
          type: 'CONTEXT_SLICE',
          content:
            '## code_search query="how parse works" max_results=3\nof code_search\n\n## get_file_outline file_path="src/a.ts"\nof get_file_outline',
          meta: { slice: 'S', queries: 2, tokens: 20, tokens_saved: 180, left_out: 0 },
        },
      ],
    ]);
  });

  test('that names the artifact is asked for each of its files', async () => {
    verifies('workers.context-query');
    const { asked, context } = server(() => found(''));
    const queries = [{ tool: 'get_dependencies', args: { file_path: '${artifact}' } }];
    await asking({ queries }, context, { artifact: ['src/*.ts'] });
    expect(asked.map(([, , args]) => args)).toEqual([{ file_path: 'src/a.ts' }, { file_path: 'src/b.ts' }]);
  });

  test('is cut at its limit, and says so', async () => {
    verifies('workers.context-query');
    const { context } = server(() => found('x'.repeat(100)));
    const { segments } = await asking({ queries: [OUTLINE], max_tokens: 20 }, context);
    expect(segments[0]?.content).toMatch(/^## [\s\S]{30,71}\n… \d+ characters left out$/);
  });
});

describe('what fails', () => {
  const half = ({ tool }: ContextQuery) => (tool === 'code_search' ? gone : found('it'));

  test.each([
    [{ queries: [OUTLINE, SEARCH] }, 'SIGNAL:SUCCESS', ['CONTEXT_SLICE', 'CONTEXT_ERROR']],
    [{ queries: [OUTLINE, SEARCH], required: true }, 'SIGNAL:FAILURE', ['CONTEXT_SLICE', 'CONTEXT_ERROR']],
    [{ queries: [SEARCH] }, 'SIGNAL:FAILURE', ['CONTEXT_ERROR']],
  ])('of %j gives %s, and a segment that says why', async (slice, signal, types) => {
    verifies('workers.context-query');
    const asked = await asking(slice, server(half).context);
    expect([asked.signal, asked.segments.map(({ type }) => type)]).toEqual([signal, types]);
    expect(asked.segments.at(-1)).toMatchObject({
      content: 'code_search query="how parse works" max_results=3: server_gone: it has ended',
      meta: { slice: 'S', code: 'server_gone' },
    });
  });

  test.each(['${exports.nothing}', '${task.title}', 'a ${b} c', '${artifact}', '${exports.constructor}'])(
    'an argument %j that can not be filled is not asked',
    async (query) => {
      const { asked, context } = server(() => found(''));
      const { signal, segments } = await asking({ queries: [{ tool: 'find_symbol', args: { query } }] }, context);
      expect([signal, asked, segments[0]?.meta['code']]).toEqual(['SIGNAL:FAILURE', [], 'unfilled_argument']);
    },
  );

  test('without a server it is no_active_server', async () => {
    verifies('workers.context-query');
    const { signal, segments } = await asking({ queries: [OUTLINE] }, null);
    expect([signal, segments[0]?.type, segments[0]?.meta['code']]).toEqual([
      'SIGNAL:FAILURE',
      'CONTEXT_ERROR',
      'no_active_server',
    ]);
  });

  test('a block without a slice has a precondition that fails', async () => {
    const { reason, details } = await asking({ queries: [OUTLINE] }, null, { context_slice: undefined });
    expect([reason, (details as JsonObject)['message']]).toEqual([
      'precondition_failed',
      'Internal:ContextQuery: Main__Ask has no "context_slice". Set it to a context slice of the manifest',
    ]);
  });
});
