import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Schema {
  readonly $comment: string;
  readonly anyOf?: readonly { readonly $ref: string }[];
  readonly oneOf?: readonly {
    readonly properties: { readonly type: { readonly const: string } };
    readonly required: readonly string[];
  }[];
  readonly definitions: Readonly<
    Record<string, { readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, Schema>> }>
  >;
}

const schema = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as Schema;
const keys = (name: string): string => (schema('response').definitions[name]?.required ?? []).join(' ');

test('documents of --json, version 1', () => {
  const response = schema('response');
  expect(response.$comment).toMatch(/^Version 1\./);
  expect(response.anyOf?.map(({ $ref }) => $ref.replace('#/definitions/', ''))).toEqual([
    'response',
    'failure',
    'validation',
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
    'callStory',
    'callComparison',
    'callReruns',
    'shownPrompts',
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
  ]);
  expect(keys('response')).toBe('success reason details error_type data metadata path');
  expect(keys('metadata')).toBe('run_id trace_id source last_node last_block steps depth tokens cost duration_ms');
  expect(keys('pathEntry')).toBe('step frame depth node block visit attempts signal via action');
  expect(keys('segment')).toBe('id type content source meta timestamp');
  expect(keys('halt')).toBe('halt_id block frame why since until last answers');
  expect(keys('diagnostic')).toBe('code severity message file line column pointer advice related');
  expect(keys('failure')).toBe('ok error');
  expect(keys('validation')).toBe('ok diagnostics');
  expect(keys('outline')).toBe('ok entry nodes');
  expect(keys('comparison')).toBe('ok same differences');
  expect(keys('initialised')).toBe('ok root made commands next');
  expect(keys('examination')).toBe('ok checks');
  expect(keys('registry')).toBe('ok workers problem');
  expect(keys('registryProblem')).toBe('code message file line column next');
  expect(keys('runList')).toBe('ok runs');
  expect(keys('runSummary')).toBe(
    'run trace status reason node block source directory started_at updated_at steps halts frames forked_from openings',
  );
  expect(keys('openHalt')).toBe('halt_id block frame why since until');
  expect(keys('runStory')).toBe('ok summary path context response');
  expect(keys('runEvents')).toBe('ok run events');
  expect(keys('replay')).toBe('ok run same steps difference');
  expect(keys('forked')).toBe('ok run forked_from next');
  expect(keys('controlled')).toBe('ok run verb done status');
  expect(keys('pruned')).toBe('ok dry_run runs blobs calls leftovers freed');
  expect(keys('inbox')).toBe('ok waiting sessions damaged interrupted');
  expect(keys('noticeSettings')).toBe('ok desktop webhook');
  expect(keys('resumed')).toBe('ok responses');
  expect(keys('edited')).toBe('ok dry_run files diff');
  expect(keys('notEdited')).toBe('ok errors');
  expect(keys('editProblem')).toBe('code message operation path matches nearest');
  expect(keys('taskTree')).toBe('ok file scope header structure active tasks changed');
  expect(keys('taskLine')).toBe('id name status depth reference metadata run failures');
  expect(keys('taskProblem')).toBe('code message file line');
  expect(keys('taskEdited')).toBe('ok task scope changed');
  expect(keys('tasksAccepted')).toBe('ok accepted');
  expect(keys('tasksRestored')).toBe('ok restored');
  expect(keys('worked')).toBe('ok ended worked');
  expect(keys('callList')).toBe('ok calls damaged');
  expect(keys('callSummary')).toBe(
    'call file started_at origin run block provider model key outcome attempts input output cached micro_usd ms',
  );
  expect(keys('callStory')).toBe('ok call');
  expect(keys('callComparison')).toBe('ok left right facts segments answer words');
  expect(keys('callReruns')).toBe('ok origin calls');
  expect(keys('shownPrompts')).toBe('ok prompts stopped');
  expect(keys('callCosts')).toBe('ok by groups all context prices');
  expect(keys('contextSavings')).toBe('slices tokens tokens_saved');
  expect(keys('keyList')).toBe('ok keys problems');
  expect(keys('userKey')).toBe(
    'alias provider base_url account pool from tier disabled has_secret keyless state until why said',
  );
  expect(keys('keysChanged')).toBe('ok done keys');
  expect(keys('hostStarted')).toBe('ok started host');
  expect(keys('hostShown')).toBe('ok host');
  expect(keys('hostStopped')).toBe('ok stopped interrupted');
  expect(keys('hostState')).toBe('protocol version pid root since socket running waiting due clients stopping memory');
  expect(keys('session')).toBe(
    'id title branch isAttached base baseBranch worktree plan changed job runs isDone resolving state before why unmerged update priority submission after ports createdAt updatedAt',
  );
  expect(keys('sessionListing')).toBe('session overlap clashes conflicts queue order waits run calls health attempt');
  expect(keys('sessionList')).toBe('ok sessions');
  expect(keys('sessionStory')).toBe(
    'ok session overlap clashes conflicts queue order waits run calls health attempt history',
  );
  expect(keys('sessionDiff')).toBe('ok session since files added deleted patch omitted');
  expect(keys('sessionChanged')).toBe('ok session notes');
  expect(keys('projectStatus')).toBe('ok engine waiting sessions runs findings disk');
  expect(keys('diskSize')).toBe('bytes isWhole');
  expect(keys('cleaningItem')).toBe('what name message');
  expect(keys('worktreesFound')).toBe('ok goes stays');
  expect(keys('worktreesCleaned')).toBe('ok gone stays');
  expect(keys('keysTested')).toBe('ok tested problems');
  expect(keys('testedKey')).toBe('alias provider result said status retry_at models');
  expect(keys('callSum')).toBe('name calls input output cached micro_usd unknown repriced');
});

const VISIT = 'node block frame depth visit step_key';
const ATTEMPT = `${VISIT} attempt span_id parent_span_id started_at side_effect_class`;

test('lines of --jsonl, version 1', () => {
  const { $comment, oneOf } = schema('event-line');
  expect($comment).toMatch(/^Version 1\./);
  const [whole, abridged] = [false, true].map((short) =>
    (oneOf ?? []).filter(({ required }) => required.includes('payload') === short),
  );
  expect(abridged?.map(({ required }) => required.join(' '))).toEqual(['seq run_id trace_id time type payload']);
  const lines = Object.fromEntries(
    (whole ?? []).map(({ properties, required }) => [properties.type.const, required.slice(5).join(' ')]),
  );
  for (const { required } of oneOf ?? [])
    expect(required.slice(0, 5)).toEqual(['seq', 'run_id', 'trace_id', 'time', 'type']);
  expect(lines).toEqual({
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
  });
});
