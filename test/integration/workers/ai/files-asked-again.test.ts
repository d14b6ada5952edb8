import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { addKey, keyPlaces, loadManifest } from '#engine/authoring.ts';
import { openEngine } from '#engine/index.ts';
import { FILE_FORM } from '#workers/answer/file-form.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';
import { documentOf } from '../../../support/model-answers.ts';
import { row } from '../../../unit/engine/small-workflow.ts';

const SECRET = 'sk-files-asked-again-qzxwv';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

let base = '';
let server: Server;
afterEach(() => {
  server.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts a server that gives these answers in turn, and the last one again and again. Returns what it was asked. */
async function startServer(answers: readonly string[]): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      asked.push(JSON.parse(body) as Asked);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(documentOf('chat', answers[Math.min(asked.length, answers.length) - 1] ?? '')));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const manifestOf = (url: string) => ({
  version: 1,
  entry: 'Main',
  workers: {
    'Worker:M': { kind: 'ai', provider: 'openai-compatible', model: 'm', base_url: url, params: { stream: false } },
  },
  nodes: {
    Main: {
      entry_block: 'Write',
      blocks: {
        Write: {
          worker: 'Worker:M',
          contract: 'Write the code.',
          transitions: [row('SUCCESS', 'JUMP:Save'), row('FAIL_DEFAULT', 'RETURN')],
        },
        Save: {
          worker: 'Internal:FileSystemWriter',
          access: { mode: 'shared' },
          params: { rewrite: true },
          transitions: [row('SUCCESS', 'RETURN'), row('FAIL_DEFAULT', 'RETURN')],
        },
      },
    },
  },
});

/** Runs the workflow with these answers of its model. */
async function run(answers: readonly string[]) {
  const { url, asked } = await startServer(answers);
  base = mkdtempSync(path.join(tmpdir(), 'robosmith-files-'));
  const folder = path.join(base, 'project');
  mkdirSync(path.join(folder, '.vision'), { recursive: true });
  mkdirSync(path.join(folder, 'src'));
  const file = path.join(folder, '.vision/workflows.json');
  writeFileSync(file, JSON.stringify(manifestOf(url)));
  writeFileSync(path.join(folder, 'src/old.ts'), 'one();\ntwo();\nthree();\nfour();\nfive();\n');
  const places = keyPlaces({ ROBOSMITH_CONFIG_DIR: path.join(base, 'config') }, memoryKeychain());
  const key = { alias: 'mine', provider: 'openai-compatible', baseUrl: url, account: null, pool: null, replace: false };
  await addKey(key, SECRET, places);
  const workflow = (await loadManifest(file))?.compilation.workflow ?? null;
  if (workflow === null) throw new Error('the manifest has errors');
  const opened = openEngine(folder, { warn: () => undefined, keys: places });
  if (!opened.ok) throw new Error('another process has the engine');
  try {
    const started = opened.engine.start(
      workflow,
      { start: { node: workflow.graph.nodes[0]!.id }, input: 'Do it.' },
      folder,
    );
    const signals = (await started.settled()).path.map(({ signal }) => signal);
    return { asked, signals, folder };
  } finally {
    opened.engine.close();
  }
}

const FENCE = '```';
const GOOD = `${FENCE}ts path=src/a.ts\nexport const a = 1;\n${FENCE}\nSIGNAL:SUCCESS`;

test('an answer whose files are unclear is asked for once more, with the reason and the form', async () => {
  const unclear = `The parser now lives in \`src/a.ts\`, as we said:\n${FENCE}ts\nexport const a = 1;\n${FENCE}\nSIGNAL:SUCCESS`;
  const { asked, signals, folder } = await run([unclear, GOOD]);
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked[0])).toContain(JSON.stringify(FILE_FORM).slice(1, -1));
  const last = asked[1]?.messages.at(-1)?.content ?? '';
  expect(last).toContain('"src/a.ts" was rejected, so nothing was written: it is unclear what the line above');
  expect(last).toContain(FILE_FORM);
  expect(signals).toEqual(['SIGNAL:SUCCESS', 'SIGNAL:SUCCESS']);
  expect(readFileSync(path.join(folder, 'src/a.ts'), 'utf8')).toBe('export const a = 1;\n');
});

test('an answer that leaves out lines of an existing file is asked for once more, and no third time', async () => {
  const lazy = `${FENCE}ts path=src/old.ts\none();\n// the others\n${FENCE}\nSIGNAL:SUCCESS`;
  const { asked, signals, folder } = await run([lazy, lazy]);
  expect(asked).toHaveLength(2);
  expect(asked[1]?.messages.at(-1)?.content).toContain('stands for lines that are left out');
  expect(signals).toEqual(['SIGNAL:SUCCESS', 'SIGNAL:FAILURE']);
  expect(readFileSync(path.join(folder, 'src/old.ts'), 'utf8')).toBe('one();\ntwo();\nthree();\nfour();\nfive();\n');
});

test('an answer that is no success is not asked for again', async () => {
  const { asked, folder } = await run(['I can not do it.\nSIGNAL:FAILURE']);
  expect(asked).toHaveLength(1);
  expect(existsSync(path.join(folder, 'src/a.ts'))).toBe(false);
});
