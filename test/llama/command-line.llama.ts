import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CallRecord } from '../../src/protocol/call-record.ts';
import type { Response } from '../../src/protocol/response.ts';
import { type Ended, ended, type Project, project, start, to } from '../e2e/cli/robosmith.ts';
import { verifies } from '../e2e/verifies.ts';
import { type ModelServer, startModel } from './start-model.ts';

const GOOD = 'sk-llama-good-112233445566aabb';
const SECOND = 'sk-llama-second-223344556677bbcc';
const BAD = 'sk-llama-bad-99887766554433ddee';

const SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['done', 'blocked'] },
    steps: { type: 'array', items: { type: 'string', minLength: 2, maxLength: 10 }, minItems: 1, maxItems: 3 },
  },
  required: ['status', 'steps'],
  additionalProperties: false,
};

let model: ModelServer;
let here: Project;
beforeAll(async () => {
  model = await startModel([GOOD, SECOND], 7);
});
afterEach(() => here.remove());
afterAll(() => model.close());

const PLAN = { worker: 'Worker:Model', contract: 'Plan it.', validation: { schema: SCHEMA } };
const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

const SCRIPT = { 'Worker:Script': { kind: 'scripted', answers: './answers.json' } };
const ANSWERS = { 'Worker:Script': [{ signal: 'SIGNAL:SUCCESS' }] };

async function set(nodes: object): Promise<void> {
  const settings = { provider: 'openai-compatible', model: 'tiny', base_url: model.baseUrl };
  const worker = { kind: 'ai', ...settings, params: { temperature: 1, max_output_tokens: 400 } };
  const manifest = { version: 1, entry: 'Main', workers: { 'Worker:Model': worker, ...SCRIPT }, nodes };
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest, '.vision/answers.json': ANSWERS });
}

const environment = (keys: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([name, key]) => [
      [`ROBOSMITH_KEY_${name}`, key],
      [`ROBOSMITH_URL_${name}`, model.baseUrl],
    ]),
  );

const begin = (keys: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  start(args, here.folder, environment(keys));

const robosmith = (keys: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> =>
  ended(begin(keys, ...args));

const RUN = ['run', 'Main', '--in', '.', '--trust', '--json'] as const;

/** Returns the records of the call log, the oldest first. */
async function logged(): Promise<readonly CallRecord[]> {
  const { calls } = JSON.parse((await here.robosmith('calls', '--json')).out) as {
    readonly calls: readonly { readonly call: string; readonly started_at: number }[];
  };
  const shown = await Promise.all(calls.map(({ call }) => here.robosmith('calls', 'show', call, '--json')));
  return shown
    .map(({ out }) => (JSON.parse(out) as { readonly call: CallRecord }).call)
    .sort((a, b) => a.started_at - b.started_at);
}

const answerOf = ({ answer }: CallRecord): string => answer?.text ?? '';

test('a run from a plan in JSON to words, with the tokens that the model counted', async () => {
  verifies('workers.pool.call-log-commands', 'workers.ai.structured-output');
  await set({
    Main: {
      entry_block: 'Plan',
      blocks: {
        Plan: { ...PLAN, transitions: [to('SUCCESS', 'JUMP:Tell'), HALT] },
        Tell: { worker: 'Worker:Model', contract: 'Tell it.', transitions: [to('NO_SIGNAL', 'RETURN'), HALT] },
      },
    },
  });
  const before = (await model.report()).answered.length;
  const { code, out, err } = await robosmith({ TINY: GOOD }, ...RUN);
  expect(code, err).toBe(0);
  const counted = (await model.report()).answered.slice(before);
  expect(counted).toHaveLength(2);
  const { data, metadata } = JSON.parse(out) as Response;
  expect(metadata.tokens).toBe(counted.reduce((sum, { prompt, completion }) => sum + prompt + completion, 0));
  const [plan, words] = data.payload.slice(-2).map(({ content }) => content);
  expect(SCHEMA.properties.status.enum).toContain((JSON.parse(plan ?? '') as { readonly status: string }).status);
  expect(words).toMatch(/^[a-z]{2,7}( [a-z]{2,7}){7,11}$/);
  const calls = await logged();
  expect(calls.map(({ block, tokens_used: used }) => [block, used?.input, used?.output, used?.source])).toEqual([
    ['Main__Plan', counted[0]?.prompt, counted[0]?.completion, 'provider'],
    ['Main__Tell', counted[1]?.prompt, counted[1]?.completion, 'provider'],
  ]);
  // The prompt of the second block contains the answer of the first one as data.
  expect(calls[1]?.request.segments.some(({ text }) => text.includes(plan ?? ''))).toBe(true);

  // Inference with the same seed and prompt gives the same text; another prompt gives a different one.
  const [first] = calls;
  const again = await robosmith({ TINY: GOOD }, 'calls', 'rerun', first?.call ?? '', '--json');
  expect(again.code, again.err).toBe(0);
  const other = await robosmith(
    { TINY: GOOD },
    'calls',
    'rerun',
    first?.call ?? '',
    '--message',
    'Plan less.',
    '--json',
  );
  expect(other.code, other.err).toBe(0);
  const [, , same, changed] = await logged();
  expect([same?.origin, answerOf(same!)]).toEqual([first?.call, answerOf(first!)]);
  expect(changed?.origin).toBe(first?.call);
  expect(answerOf(changed!)).not.toBe(answerOf(first!));
});

const EIGHT = Array.from({ length: 8 }, (_, index) => index);

test.each([{ ONE: GOOD }, { ONE: GOOD, TWO: SECOND }])(
  'eight calls at once over four slots: the pool absorbs the real 429s (%#)',
  async (keys) => {
    verifies('workers.pool.retry-after');
    const fork = to('SUCCESS', `FORK:${EIGHT.map(() => 'Sub').join(',')}`);
    await set({
      Main: { entry_block: 'Begin', blocks: { Begin: { worker: 'Worker:Script', transitions: [fork, HALT] } } },
      Sub: { entry_block: 'Plan', blocks: { Plan: { ...PLAN, transitions: [to('SUCCESS', 'RETURN'), HALT] } } },
    });
    const before = await model.report();
    await model.refuseFirst(4);
    const { code, out, err } = await robosmith(keys, ...RUN);
    expect(code, err).toBe(0);
    const after = await model.report();
    const refused = after.refused[429] - before.refused[429];
    console.log(`${String(Object.keys(keys).length)} keys: ${String(refused)} requests were refused with 429`);
    expect(refused).toBeGreaterThanOrEqual(4);
    expect(after.answered.length - before.answered.length).toBe(8);
    const calls = await logged();
    expect(calls.map(({ outcome }) => outcome)).toEqual(EIGHT.map(() => 'ok'));
    const limited = calls.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome === 'rate_limited');
    expect(limited).toHaveLength(refused);
    // The payload after the branches have joined consists of the script's segment and the answers of all branches.
    const answers = (JSON.parse(out) as Response).data.payload.map(({ content }) => content).slice(-8);
    expect(answers.sort()).toEqual(calls.map(answerOf).sort());
  },
);

test('a key that the server refuses is invalid from then on, and the next one answers', async () => {
  verifies('workers.pool.key-states');
  await set({
    Main: { entry_block: 'Plan', blocks: { Plan: { ...PLAN, transitions: [to('SUCCESS', 'RETURN'), HALT] } } },
  });
  const keys = { ONE: BAD, TWO: GOOD };
  const { refused } = await model.report();
  for (const run of [1, 2]) {
    const { code, err } = await robosmith(keys, ...RUN);
    expect(code, `run ${String(run)}: ${err}`).toBe(0);
  }
  expect((await model.report()).refused[401] - refused[401]).toBe(1);
  const [first, second] = await logged();
  expect(first?.attempts.map(({ key, outcome }) => [key, outcome])).toEqual([
    ['one', 'invalid_key'],
    ['two', 'ok'],
  ]);
  expect(second?.attempts.map(({ key, outcome }) => [key, outcome])).toEqual([['two', 'ok']]);
  expect((await robosmith(keys, 'keys')).out).toMatch(/one .*invalid/);
  const tested = await robosmith(keys, 'keys', 'test', 'two');
  expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('two is accepted (1 model')]);
});

test('the engine is killed while the model speaks: the run goes on, and no answer is paid twice', async () => {
  verifies('workers.pool.broken-off', 'workers.pool.paid-once');
  await set({
    Main: {
      entry_block: 'Plan',
      blocks: {
        Plan: { ...PLAN, transitions: [to('SUCCESS', 'CALL:Sub'), HALT] },
      },
    },
    Sub: { entry_block: 'More', blocks: { More: { ...PLAN, transitions: [to('SUCCESS', 'RETURN'), HALT] } } },
  });
  // The first answer is complete; the second one pauses at its first letter.
  const before = await model.report();
  const { stopped } = await model.stopAfter(1);
  const child = begin({ TINY: GOOD }, ...RUN);
  const exited = once(child, 'close');
  await Promise.race([stopped(), exited.then(() => Promise.reject(new Error('it ended before it could be killed')))]);
  child.kill('SIGKILL');
  await exited;
  await model.untilBroken(before.broken + 1);
  const { runs } = JSON.parse((await here.robosmith('runs', '--json')).out) as {
    readonly runs: readonly { readonly run: string }[];
  };
  const resumed = await robosmith({ TINY: GOOD }, 'resume', runs[0]?.run ?? '', '--json');
  expect(resumed.code, resumed.err).toBe(0);
  const after = await model.report();
  expect([after.answered.length - before.answered.length, after.broken - before.broken]).toEqual([2, 1]);
  expect((await logged()).map(({ block, outcome }) => [block, outcome])).toEqual([
    ['Main__Plan', 'ok'],
    ['Sub__More', 'broken_off'],
    ['Sub__More', 'ok'],
  ]);
});
