import { expect, test } from 'vitest';
import { queryTokens, searchTokens, wordParts } from '../../../../src/roberto-mcp/parse/split-words.ts';

test.each([
  ['getUserName', 'getusername get user name'],
  ['get_user_name', 'get_user_name get user name'],
  ['HTTPServer2', 'httpserver2 http server 2'],
  ['plain', 'plain'],
  ['MAX_SIZE', 'max_size max size'],
  ['größeDerÜbung', 'größederübung größe der übung'],
  ['$scope', '$scope scope'],
])('%s is found as a whole and by its parts', (word, tokens) => {
  expect(searchTokens(word).trim()).toBe(tokens);
});

test('signs and words of encoded data are left out', () => {
  expect(searchTokens(`a+b ${'x'.repeat(100)}Y`).trim()).toBe('a b');
  expect(searchTokens('+-*/')).toBe('');
});

test('a query has each token once', () => {
  expect(queryTokens('user userName')).toEqual(['user', 'username', 'name']);
});

test('parts of a name', () => {
  expect(wordParts('getURLFor_id')).toEqual(['get', 'url', 'for', 'id']);
});
