import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

let server: FaultServer;
let at: Project;
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  await at.remove();
  await server.close();
});

const BEFORE = 'function a() {\n  return 1;\n}\nfunction b() {\n  return 1;\n}\n';
const AFTER = 'function a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}\n';

const AMBIGUOUS = { op: 'insert', path: 'src/a.ts', anchor: 'return 1;', content: '  // here' };
const EXACT = { op: 'replaceLine', path: 'src/a.ts', line: 5, content: '  return 2;', expected: 'return 1;' };

const asks = (block: object = {}) => ({
  '.flow/.keep': '',
  'src/a.ts': BEFORE,
  '.vision/workflows.json': {
    version: 1,
    workers: {
      'Worker:Editor': {
        kind: 'ai',
        provider: 'openai-compatible',
        model: 'tiny',
        base_url: server.url('says'),
        mode: 'loom',
      },
    },
    nodes: {
      Main: {
        entry_block: 'Edit',
        blocks: {
          Edit: {
            worker: 'Worker:Editor',
            contract: 'Let b return 2.',
            artifact: 'src/a.ts',
            transitions: [
              to('SUCCESS', 'RETURN'),
              { ...to('FAILURE', 'JUMP:Edit'), condition: { id: 'visits.less_than', args: [3] } },
              to('FAIL_DEFAULT', 'HALT_AND_FLAG'),
            ],
            ...block,
          },
        },
      },
    },
  },
});

const KEY = { ROBOSMITH_KEY_LOCAL: 'sk-test-0123456789abcdef' };

const robosmith = (...args: readonly string[]): Promise<Ended> =>
  ended(start(args, at.folder, { ...KEY, ROBOSMITH_URL_LOCAL: server.url('says') }));

const RUN = ['run', 'Main', '--in', '.', '--trust', '--json'] as const;
const source = (): Promise<string> => readFile(at.file('src/a.ts'), 'utf8');
const stepsOf = ({ path }: Response): readonly string[] => path.map(({ signal }) => signal?.slice(7) ?? '');

const chatty = (...operations: readonly object[]): string =>
  `Sure! Here it is:\n\n\`\`\`json\n${JSON.stringify(operations)}\n\`\`\`\n\nTell me if you need more.`;

describe('a model in loom mode', () => {
  test('is told the format, its edits are made; one that fails goes back to it, and it repairs it', async () => {
    verifies('workers.loom.answers', 'workers.access.modes');
    at = await project(asks());
    server.say(chatty(AMBIGUOUS), JSON.stringify([EXACT]));
    const { code, out, err } = await robosmith(...RUN);
    expect([code, err.includes('refused')]).toEqual([0, false]);
    const response = JSON.parse(out) as Response;
    expect(stepsOf(response)).toEqual(['FAILURE', 'SUCCESS']);
    expect(await source()).toBe(AFTER);
    expect(response.data.payload.map(({ type }) => type)).toEqual([
      ...['EDIT_OPERATIONS', 'LOOM_ERROR', 'EDIT_OPERATIONS', 'FILES_EDITED'],
    ]);
    const [first = '', second = ''] = server.seen.map(({ body }) => body);
    expect(first).toContain('Answer with a list of edit operations as JSON');
    expect(first).not.toContain('LOOM_ERROR l');
    const { messages } = JSON.parse(second) as { readonly messages: readonly { role: string; content: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    const reply = messages.at(-1)?.content ?? '';
    expect(reply).toContain('ambiguous_anchor: operation 1, "src/a.ts"');
    expect(reply).toMatch(/matches:\n {4}2: {3}return 1;\n {4}5: {3}return 1;/);
  });

  test('may write where its block may, and nowhere else', async () => {
    verifies('workers.loom.answers');
    at = await project(asks());
    server.say(chatty({ op: 'append', path: 'package.json', content: '{}' }, EXACT));
    const { code, out } = await robosmith(...RUN);
    expect([code, await source()]).toEqual([3, BEFORE]);
    const response = JSON.parse(out) as Response;
    expect(stepsOf(response)).toEqual(['FAILURE', 'FAILURE', 'FAILURE']);
    expect(response.data.payload.at(-1)?.meta['errors']).toMatchObject([
      { code: 'access_denied', path: 'package.json' },
    ]);
  });

  test('that may write nothing is not asked', async () => {
    at = await project(asks({ access: { mode: 'strict' } }));
    const { code, err } = await robosmith(...RUN);
    expect([code, server.seen]).toEqual([3, []]);
    expect(err).toContain(
      'Main__Edit answers with edits, but may not write any file: its "access" has the mode "strict"',
    );
  });

  test('can be shown without a key, by a script, and without a world by simulate', async () => {
    verifies('workers.loom.answers', 'workers.scripted.marked');
    const script = { 'Worker:Editor': [{ text: chatty(AMBIGUOUS) }, { text: chatty(EXACT) }] };
    at = await project({ ...asks(), 's.json': script });
    const { code, out } = await at.robosmith(...RUN, '--script', 's.json');
    const response = JSON.parse(out) as Response;
    expect([code, stepsOf(response), await source()]).toEqual([0, ['FAILURE', 'SUCCESS'], AFTER]);
    expect(response.data.payload.map(({ type, meta }) => [type, meta['scripted'] === true])).toEqual([
      ...[
        ['EDIT_OPERATIONS', true],
        ['LOOM_ERROR', false],
      ],
      ...[
        ['EDIT_OPERATIONS', true],
        ['FILES_EDITED', false],
      ],
    ]);
    const simulated = await at.robosmith('simulate', 'Main', '--script', 's.json', '--json');
    expect(stepsOf(JSON.parse(simulated.out) as Response)).toEqual(['SUCCESS']);
    expect(server.seen).toEqual([]);
  });
});
