import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { verifies } from '../../e2e/verifies.ts';
import { createKeySearch } from '../../secrets/find-keys.ts';
import { keyReporter } from '../../secrets/reporter.ts';
import { streamOf } from '../../support/model-answers.ts';

/** A test key, assembled at run time so that this file doesn't contain the whole key. */
const PLANTED = ['sk-test-planted', '0f1e2d3c4b5a6978'].join('-');
const search = createKeySearch([PLANTED]);

const spelled: Readonly<Record<string, string>> = {
  'as it is': `Bearer ${PLANTED}`,
  'a part of it': `refused: ${PLANTED.slice(0, 20)}***`,
  base64: Buffer.from(PLANTED).toString('base64'),
  'base64 of a header': Buffer.from(`x:${PLANTED}`).toString('base64'),
  'base64 of a header, further on': Buffer.from(`me:${PLANTED}\n`).toString('base64'),
  'percent-encoded': Array.from(PLANTED, (one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  'escaped for JSON': Array.from(PLANTED, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(''),
  hex: Buffer.from(PLANTED).toString('hex'),
};

const parts = (PLANTED.match(/.{1,5}/g) ?? []) as readonly string[];

test.each(Object.entries(spelled))('a key is found %s', (_how, text) => {
  expect(search.inText(`before ${text} after`, 'here')).not.toEqual([]);
});

test.each(['responses', 'messages', 'gemini', 'chat'] as const)(
  'a key is found in the parts of a stream of %s',
  (protocol) => {
    const { head, texts, end } = streamOf(protocol, parts);
    // The final events are excluded, because they contain the whole answer in one piece.
    const stream = [...head, ...texts, ...(protocol === 'gemini' ? end : [])].join('');
    expect(search.inText(stream, 'here')).not.toEqual([]);
    expect(search.inText(JSON.stringify({ raw: stream }), 'in a record')).not.toEqual([]);
  },
);

test('what is no key is none', () => {
  expect(search.inText('sk-test- planted 0f1e2d3c {"a":"sk-","b":"test"}', 'here')).toEqual([]);
});

test('the keys of the tests are known, and a folder that holds one is not removed in silence', async () => {
  verifies('workers.pool.secrets');
  const [key = ''] = inject('testKeys');
  expect(inject('testKeys').length).toBeGreaterThan(8);
  const base = mkdtempSync(path.join(os.tmpdir(), 'robosmith-leak-'));
  const logs = path.join(base, 'project', '.vision', 'logs');
  mkdirSync(logs, { recursive: true });
  const file = path.join(logs, 'x.json');
  writeFileSync(file, JSON.stringify({ raw: `data: ${JSON.stringify({ text: key })}` }));
  expect(() => rmSync(base, { recursive: true })).toThrow(/a key leaked\n.*x\.json holds the test key/);
  await expect(rm(base, { recursive: true })).rejects.toThrow('a key leaked');
  writeFileSync(file, '{}');
  rmSync(base, { recursive: true });
});

test('what the suite prints is searched: a key ends the run with a failure', () => {
  const [key = ''] = inject('testKeys');
  const reporter = keyReporter(undefined);
  const before = process.exitCode;
  const errors: unknown[] = [];
  const { error } = console;
  console.error = (text: unknown) => void errors.push(text);
  try {
    reporter.onUserConsoleLog?.({
      content: `the key is ${key}`,
      taskId: 't1',
      type: 'stdout',
      time: 0,
      size: 0,
    } as never);
    void reporter.onTestRunEnd?.([], [], 'passed');
    expect(process.exitCode).toBe(1);
    expect(errors).toEqual([expect.stringContaining('what t1 printed holds the test key')]);
  } finally {
    process.exitCode = before;
    console.error = error;
  }
});
