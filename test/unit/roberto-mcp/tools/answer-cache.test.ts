import { expect, test } from 'vitest';
import type { Worktree } from '../../../../src/roberto-mcp/index/worktree.ts';
import { answerKey, createAnswerCache } from '../../../../src/roberto-mcp/tools/answer-cache.ts';
import { runTool } from '../../../../src/roberto-mcp/tools/run-tool.ts';
import type { Tool, ToolContext } from '../../../../src/roberto-mcp/tools/tool.ts';
import type { ToolAnswer } from '../../../../src/roberto-mcp/tools/bound-answer.ts';

const answer = (text: string) => ({ data: {}, text, paths: [] });

test('an answer is kept for one version of the files, whatever the order of its arguments', () => {
  const cache = createAnswerCache<ToolAnswer>();
  const key = answerKey('find_symbol', { query: 'a', path: 'src' });
  expect(answerKey('find_symbol', { path: 'src', query: 'a' })).toBe(key);
  cache.set(key, 1, answer('one'));
  expect(cache.get(key, 1)?.text).toBe('one');
  expect(cache.get(key, 2)).toBeUndefined();
  expect(cache.get(key, 1)).toBeUndefined();
});

test('the answers that were not used for the longest time are forgotten at either limit', () => {
  const few = createAnswerCache<ToolAnswer>({ answers: 2, characters: 100 });
  for (const key of ['a', 'b']) few.set(key, 1, answer(key));
  expect(few.get('a', 1)?.text).toBe('a');
  few.set('c', 1, answer('c'));
  expect(['a', 'b', 'c'].map((key) => few.get(key, 1)?.text)).toEqual(['a', undefined, 'c']);
  const short = createAnswerCache<ToolAnswer>({ answers: 9, characters: 10 });
  short.set('a', 1, answer('123456'));
  short.set('b', 1, answer('123456'));
  expect(['a', 'b'].map((key) => short.get(key, 1)?.text)).toEqual([undefined, '123456']);
});

test('a tool runs once for the same arguments until a file changes, unless its answers depend on more', async () => {
  let [version, ran] = [1, 0];
  const worktree = {
    root: '/',
    files: { version: () => version, get: () => undefined },
    freshen: () => Promise.resolve(),
    onProgress: () => () => undefined,
    doubt: () => undefined,
  } as unknown as Worktree;
  const context = {
    worktree,
    answers: createAnswerCache<ToolAnswer>(),
    signal: new AbortController().signal,
    report: () => undefined,
  } as unknown as ToolContext;
  const tool = (isCacheable: boolean): Tool => ({
    name: 'counts',
    title: '',
    description: '',
    input: {},
    isCacheable,
    run: () => {
      ran += 1;
      return answer(`${ran}`);
    },
  });
  const texts: string[] = [];
  const ask = async (args: object, one = tool(true)): Promise<void> => {
    texts.push((await runTool(one, { ...args }, context)).text);
  };
  await ask({ query: 'a' });
  await ask({ query: 'a' });
  await ask({ query: 'b' });
  version = 2;
  await ask({ query: 'a' });
  await ask({ query: 'a' }, tool(false));
  expect(texts).toEqual(['1', '1', '2', '3', '4']);
});
