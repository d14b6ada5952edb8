import { expect, test } from 'vitest';
import { validatorOf } from '#engine/schemas/schema-validators.ts';
import type { AgentService } from '#protocol/agent.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { ProcessRequest, Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { agentWorker } from '#workers/agent/agent-worker.ts';
import { verifies } from '../../../e2e/verifies.ts';

const SCHEMA = { type: 'object', required: ['risk'], properties: { risk: { enum: ['low', 'high'] } } } as const;
const RULES = {
  outputType: 'REVIEW',
  validation: null,
  validate: validatorOf(SCHEMA),
  edits: null,
  answer: { schema: SCHEMA },
};

const BAD = '```json\n{"risk":"none"}\n```\nSIGNAL:FAILURE';
const GOOD = '```json\n{"risk":"high"}\n```\nSIGNAL:FAILURE';

const MEMORY = {
  payload: [],
  contract: { persona: null, contract: 'Look.', signals: ['SIGNAL:SUCCESS', 'SIGNAL:FAILURE'] },
  inherited: {},
  artifact: { files: [], slices: [] },
  system: {
    run: 'r1',
    worktree: '/w',
    node: 'Main',
    block: 'Main__Look',
    visit: 1,
    step: 'r1/Main__Look#1',
    frame: '/',
  },
  exports: {},
  returned: [],
} as unknown as BlockMemory;

const BLOCK = {
  id: 'Main__Look',
  worker: 'Worker:Looks',
  params: {},
  validation: null,
  answer: RULES.answer,
  access: { mode: 'strict', paths: [] },
  recovery: {},
  transitions: [{ signal: 'SIGNAL:SUCCESS' }, { signal: 'SIGNAL:FAILURE' }],
} as unknown as GraphBlock;

/** Events of `claude -p --output-format stream-json` for one answer. */
const streamOf = (answer: string): string =>
  [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'm' },
    {
      type: 'assistant',
      session_id: 's1',
      message: { id: 'a', role: 'assistant', content: [{ type: 'text', text: answer }] },
    },
    {
      type: 'result',
      subtype: 'success',
      session_id: 's1',
      result: answer,
      total_cost_usd: 0.5,
      usage: { input_tokens: 10, output_tokens: 2 },
    },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');

function scene(preset: string | null, outputs: readonly string[]) {
  const requests: ProcessRequest[] = [];
  const agents = {
    most: 'all',
    analysisServer: () => Promise.resolve(null),
    probeSandbox: () => Promise.resolve({ ok: false, problem: '', advice: '' }),
    projectVariables: () => Promise.resolve({ project: [], user: [] }),
    hasKey: () => false,
    last: () => null,
    redactor: () => (text: string) => text,
    warn: () => undefined,
    begin: () => ({
      call: `c${requests.length + 1}`,
      heard: () => undefined,
      end: ({ costMicroUsd, usage }: { costMicroUsd: number | null; usage: unknown }) =>
        Promise.resolve({ costMicroUsd, usage }),
    }),
    guard: {
      endLeft: () => Promise.resolve(null),
      watch: () =>
        Promise.resolve({ end: () => Promise.resolve({ changed: [], unclear: [], trespasses: [], rescued: null }) }),
    },
  } as unknown as AgentService;
  const processes = {
    run: (request: ProcessRequest, _signal: AbortSignal, onText: (text: string) => void) => {
      const output = outputs[requests.length] ?? '';
      requests.push(request);
      onText(output);
      return Promise.resolve({ exitCode: 0, ended: 'exited', output, error: null });
    },
  };
  const services = {
    agents,
    files: null,
    processes,
    block: BLOCK,
    definition: { name: 'Worker:Looks', settings: preset === null ? { command: ['reviewer'] } : { preset } },
    clock: {
      now: () => 0,
      sleep: (_ms: number, signal: AbortSignal) =>
        new Promise<void>((done) => signal.addEventListener('abort', () => done())),
    },
    logs: null,
    progress: () => undefined,
  } as unknown as Services;
  const execute = () => agentWorker(RULES).execute(MEMORY, services, new AbortController().signal);
  return { requests, execute };
}

const ASKED =
  'The data of your answer is not valid:\n/risk must be equal to one of the allowed values\n\nGive your whole answer again, with the same verdict and with data that fits the schema.';

test('an agent whose data is not valid is asked again in its own conversation, and both calls are paid', async () => {
  verifies('decisions.verdicts.11');
  const { requests, execute } = scene('claude', [streamOf(BAD), streamOf(GOOD)]);
  const result = await execute();
  expect(requests.map(({ input }) => input)[1]).toBe(`\n\n${ASKED}\n`);
  expect(requests[1]?.argv).toContain('s1');
  expect(requests[0]?.argv).not.toContain('s1');
  expect([result.signal, result.exports]).toEqual(['SIGNAL:FAILURE', { risk: 'high' }]);
  expect(result.append?.map(({ type }) => type)).toEqual(['REVIEW', 'ANSWER_DATA']);
  expect(result.stats).toMatchObject({ calls: 2, cost_micro_usd: 1_000_000, tokens_used: { input: 20, output: 4 } });
});

test('one without a conversation gets the whole prompt again, with its answer and what is wrong with it', async () => {
  const { requests, execute } = scene(null, [BAD, BAD, GOOD]);
  const result = await execute();
  const [first = '', second = ''] = requests.map(({ input }) => String(input).trimEnd());
  expect(second).toBe(`${first}\n\n# An earlier answer\n\n${BAD}\n\n${ASKED}`);
  expect([requests.length, result.signal]).toEqual([2, 'SIGNAL:VALIDATION_FAIL']);
});
