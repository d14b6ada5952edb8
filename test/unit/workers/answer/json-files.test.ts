import { expect, test } from 'vitest';
import { readFiles } from '#workers/answer/read-files.ts';

/** Returns the contents of the files by path, or the codes of the problems. */
function read(answer: string, asked: string | null): unknown {
  const reading = readFiles(answer, asked);
  return reading.ok
    ? Object.fromEntries(reading.files.map(({ path, content }) => [path, content]))
    : reading.problems.map(({ code }) => code);
}

const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\`\nSIGNAL:SUCCESS`;

test.each([
  '{"name":"logo","text":"Hello","size":3}',
  '{"name":"logo","source":"https://x"}',
  '[{"name":"Ada","text":"hi"},{"name":"Bob","text":"ho"}]',
  '{"name":"a.png","text":"A picture"}',
  '{"path":"/home","content":"Welcome"}',
  '{"files":{"src/a.ts":"x"}}',
])('%s is the data that is asked for', (json) => {
  expect(read(fenced(json), 'data/item.json')).toEqual({ 'data/item.json': `${json}\n` });
  expect(read(json, 'data/item.json')).toEqual({ 'data/item.json': `${json}\n` });
});

test.each([
  '{"name":"logo","text":"Hello"}',
  '{"name":"logo.svg","text":"Hello","size":3}',
  '{"filename":"a.ts","code":"x","rows":[]}',
  '[{"name":"Ada","text":"hi"}]',
])('%s is no file', (json) => {
  expect(read(fenced(json), null)).toEqual(['no_files']);
  expect(read(json, null)).toEqual(['no_files']);
});

test.each([
  '{"path":"src/a.ts","content":"x","size":1}',
  '[{"file_path":"src/a.ts","content":"x","language":"ts"}]',
  '{"files":[{"filename":"src/a.ts","content":"x"}],"summary":"new"}',
])('%s is unclear, if a JSON file is asked for', (json) => {
  expect(read(fenced(json), 'data/item.json')).toEqual(['ambiguous']);
  expect(read(json, 'data/item.json')).toEqual(['ambiguous']);
});

test.each([
  ['{"files":[{"filename":"src/a.ts","content":"x"}],"summary":"new"}', null],
  ['{"name":"src/a.ts","code":"x","language":"ts"}', null],
  ['{"file":"src/a.ts","body":"x"}', 'src/b.ts'],
  ['{"files":{"src/a.ts":"x"}}', null],
])('%s is a file, beside %s as well', (json, asked) => {
  expect(read(fenced(json), asked)).toEqual({ 'src/a.ts': 'x\n' });
});
