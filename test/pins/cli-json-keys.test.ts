import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Schema {
  readonly $comment?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, { readonly const?: string }>>;
  readonly required?: readonly string[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const schema = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as Schema;
const nameOf = ({ $ref = '' }: Schema): string => $ref.replace('#/definitions/', '');
const sorted = (words: readonly string[]): string => words.toSorted().join(' ');

/** Returns the required keys of a document, and those that are expected, in the same order. */
const expectKeys = (name: string, expected: string): void =>
  expect([name, sorted(schema('response').definitions?.[name]?.required ?? [])]).toEqual([
    name,
    sorted(expected.split(' ')),
  ]);

test('documents of --json, version 1', () => {
  const response = schema('response');
  expect(response.$comment).toMatch(/^Version 1\./);
  expect(response.anyOf?.map(nameOf)).toEqual([
    'response',
    'failure',
    'validation',
    'ruleList',
    'testedWorkflow',
    'rowCoverage',
    'outline',
    'comparison',
    'initialised',
    'examination',
    'registry',
    'runList',
    'runStory',
    'runEvents',
    'replay',
    'forked',
    'controlled',
    'pruned',
    'inbox',
    'noticeSettings',
    'resumed',
    'edited',
    'notEdited',
    'taskTree',
    'taskEdited',
    'tasksAccepted',
    'tasksRestored',
    'worked',
    'callList',
    'foundList',
    'callStory',
    'callComparison',
    'shownPrompts',
    'runForecast',
    'callReruns',
    'callCosts',
    'keyList',
    'keysChanged',
    'keysTested',
    'hostStarted',
    'hostShown',
    'hostStopped',
    'sessionList',
    'sessionStory',
    'sessionDiff',
    'sessionChanged',
    'projectStatus',
    'worktreesFound',
    'worktreesCleaned',
    'formatted',
    'sliceList',
    'slice',
    'servedPage',
    'clashReport',
    'landingPlan',
    'landing',
    'landingUndone',
  ]);
  expectKeys('response', 'success reason details error_type data metadata path');
  expectKeys('responseMetadata', 'run_id trace_id source last_node last_block steps depth tokens cost duration_ms');
  expectKeys('pathEntry', 'step frame depth node block visit attempts signal via action');
  expectKeys('segment', 'id type content source meta timestamp');
  expectKeys('halt', 'halt_id block frame why since until last answers');
  expectKeys('diagnostic', 'code severity message file line column pointer advice related');
  expectKeys('failure', 'ok error');
  expectKeys('validation', 'ok diagnostics');
  expectKeys('landingPlan', 'ok base from cars left conflicts suspects tests usual');
  expectKeys('landing', 'ok next base from to cars landed back left runs flaky on_base is_stopped tests ms notes');
  expectKeys('landingUndone', 'ok base from to notes');
  expectKeys('outline', 'ok entry nodes');
  expectKeys('comparison', 'ok same differences');
  expectKeys('initialised', 'ok root made commands next');
  expectKeys('examination', 'ok checks');
  expectKeys('registry', 'ok workers problem');
  expectKeys('registryProblem', 'code message file line column next');
  expectKeys('runList', 'ok runs');
  expectKeys(
    'runSummary',
    'run trace status reason node block source directory started_at updated_at steps halts frames forked_from openings',
  );
  expectKeys('openHalt', 'halt_id block frame why since until');
  expectKeys('runStory', 'ok summary spent path context response');
  expectKeys('runEvents', 'ok run events');
  expectKeys('replay', 'ok run same steps difference');
  expectKeys('forked', 'ok run forked_from next');
  expectKeys('controlled', 'ok run verb done status');
  expectKeys('runForecast', 'ok calls tokens micro_usd ms completes past_runs simulated_runs unknown ceiling earlier');
  expectKeys('foundList', 'ok found more');
  expectKeys('pruned', 'ok dry_run runs blobs calls leftovers freed');
  expectKeys('inbox', 'ok waiting sessions damaged interrupted retrying');
  expectKeys('noticeSettings', 'ok desktop webhook');
  expectKeys('resumed', 'ok responses');
  expectKeys('edited', 'ok dry_run files diff');
  expectKeys('notEdited', 'ok errors');
  expectKeys('loomProblem', 'code message operation path matches nearest');
  expectKeys('taskTree', 'ok file scope header structure active tasks changed');
  expectKeys('taskLine', 'id name status depth reference metadata run failures');
  expectKeys('taskProblem', 'code message file line');
  expectKeys('taskEdited', 'ok task scope changed');
  expectKeys('tasksAccepted', 'ok accepted');
  expectKeys('tasksRestored', 'ok restored');
  expectKeys('worked', 'ok ended worked');
  expectKeys('callList', 'ok calls damaged');
  expectKeys(
    'callSummary',
    'call file started_at origin run block provider model key outcome attempts input output cached micro_usd ms',
  );
  expectKeys('callStory', 'ok call');
  expectKeys('callComparison', 'ok left right facts segments answer words');
  expectKeys('callReruns', 'ok origin calls');
  expectKeys('shownPrompts', 'ok prompts stopped');
  expectKeys('callCosts', 'ok by groups all context prices');
  expectKeys('contextSavings', 'slices tokens tokens_saved');
  expectKeys('keyList', 'ok keys problems');
  expectKeys(
    'userKey',
    'alias provider base_url account pool from tier disabled has_secret keyless state until why said',
  );
  expectKeys('keysChanged', 'ok done keys');
  expectKeys('hostStarted', 'ok started host');
  expectKeys('hostShown', 'ok host');
  expectKeys('hostStopped', 'ok stopped interrupted');
  expectKeys('hostStatus', 'protocol version pid root since socket running waiting due clients stopping memory');
  expectKeys(
    'session',
    'id title branch isAttached base baseBranch worktree isWorktreeKept remarks plan changed job runs isDone resolving state before why unmerged update priority submission after ports createdAt updatedAt',
  );
  expectKeys(
    'sessionListing',
    'session overlap clashes conflicts semantics queue order waits run calls health attempt',
  );
  expectKeys('sessionList', 'ok sessions');
  expectKeys(
    'sessionStory',
    'ok session overlap clashes conflicts semantics queue order waits run calls health attempt history',
  );
  expectKeys('sessionDiff', 'ok session since files added deleted patch omitted');
  expectKeys('sessionChanged', 'ok session notes');
  expectKeys('projectStatus', 'ok engine waiting sessions runs findings disk');
  expectKeys('folderSize', 'bytes isWhole');
  expectKeys('cleaningItem', 'what name message');
  expectKeys('worktreesFound', 'ok goes stays');
  expectKeys('worktreesCleaned', 'ok gone stays');
  expectKeys('keysTested', 'ok tested problems');
  expectKeys('testedKey', 'alias provider result said status retry_at models');
  expectKeys('callSum', 'name calls input output cached micro_usd unknown at_least repriced');
});

const VISIT = 'node block frame depth visit step_key';
const ATTEMPT = `${VISIT} attempt span_id parent_span_id started_at side_effect_class`;

test('lines of --jsonl, version 1', () => {
  const { $comment, anyOf: kinds = [], definitions = {} } = schema('event-line');
  expect($comment).toMatch(/^Version 1\./);
  const [whole, abridged] = kinds.map((one) => definitions[nameOf(one)]);
  expect(sorted(abridged?.required ?? [])).toBe(sorted(['seq', 'run_id', 'trace_id', 'time', 'type', 'payload']));
  const head = ['seq', 'run_id', 'trace_id', 'time', 'type'];
  const lines = Object.fromEntries(
    (whole?.anyOf ?? []).map(({ properties, required = [] }) => {
      expect(required).toEqual(expect.arrayContaining(head));
      return [properties?.['type']?.const ?? '', sorted(required.filter((key) => !head.includes(key)))];
    }),
  );
  const expected = {
    'run.started': 'node block source',
    'node.entered': 'via node frame depth',
    'node.left': 'via node frame depth',
    'block.entered': VISIT,
    'memory.assembled': `layers ${VISIT}`,
    'context.assembled': `name queries tokens tokens_saved left_out failed ${VISIT}`,
    'block.started': `worker ${ATTEMPT}`,
    'block.progress': `text ${ATTEMPT}`,
    'block.cut_off': `after ${ATTEMPT}`,
    'block.failed': `failure duration_ms ${ATTEMPT}`,
    'block.finished': `signal origin appended exports stats duration_ms ${ATTEMPT}`,
    'evidence.checked': `check held summary ${VISIT}`,
    'recovery.retry': `reason delay_ms ${ATTEMPT}`,
    'recovery.repair': `reason worker made ${ATTEMPT}`,
    'recovery.exhausted': `reason ${ATTEMPT}`,
    'ai.call.started': `call provider model pool ${VISIT}`,
    'ai.call.redacted': `where key ${VISIT}`,
    'ai.call.fallback': `from provider model why ${VISIT}`,
    'ai.call.attempted': `call key outcome status duration_ms ${VISIT}`,
    'ai.call.finished': `call outcome attempts tokens cost_micro_usd queued_ms duration_ms ${VISIT}`,
    'key.changed': `key model state until why ${VISIT}`,
    'main.changed': `what paths text ${VISIT}`,
    'exports.refused': `keys ${VISIT}`,
    'transition.taken': 'entry row',
    'fork.opened': `branches ${VISIT}`,
    'fork.joined': VISIT,
    'block.halted': `halt_id why ${VISIT}`,
    'block.answered': `halt_id answer ${VISIT}`,
    'run.halted': 'halts',
    'run.resumed': '',
    'run.finished': 'outcome response',
  };
  expect(lines).toEqual(
    Object.fromEntries(
      Object.entries(expected).map(([type, keys]) => [type, sorted(keys.split(' ').filter((key) => key !== ''))]),
    ),
  );
});
