import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { responseOf } from './durable-documents.ts';
import { NODE, project, type Project, to } from './robosmith.ts';
import { type SessionProject, sessionProject } from './session-project.ts';

let at: Project;
afterEach(() => at.remove());

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
const EDIT = "require('fs').appendFileSync('a.txt', 'again\\n')";

/** Returns a manifest with a command that appends a line to a.txt, followed by a gate. */
const gated = (gate: object) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Edit': { kind: 'command', command: [NODE, '-e', EDIT] } },
  nodes: {
    Main: {
      entry_block: 'Edit',
      blocks: {
        Edit: { worker: 'Worker:Edit', transitions: [to('SUCCESS', 'JUMP:Approve'), HALT] },
        Approve: { worker: 'Internal:ManualIntervention', ...gate },
      },
    },
  },
});

const REJECTS = {
  contract: 'Count the lines.',
  max_rejections: 1,
  transitions: [to('SUCCESS', 'RETURN'), to('REJECTED', 'JUMP:Edit'), HALT],
};

async function halted(gate: object): Promise<string> {
  at = await project({ '.flow/.keep': '', '.vision/workflows.json': gated(gate) });
  const { code, out } = await at.robosmith('run', '--in', '.', '--trust', '--json');
  expect(code).toBe(3);
  return responseOf(out).metadata.run_id ?? '';
}

describe('a rejection', () => {
  test('goes where the row leads with its reason as guidance, and no more often than the block allows', async () => {
    verifies('engine.answer.reject');
    const run = await halted(REJECTS);
    const shown = await at.robosmith('resume', run, '--reject', ' ');
    expect([shown.code, shown.err]).toEqual([2, expect.stringContaining('--reject needs a reason')]);
    const inbox = await at.robosmith('inbox');
    expect(inbox.out).toContain('or --reject <reason>, --next, --jump <block>, --abort');
    const again = await at.robosmith('resume', run, '--reject', 'one line is not enough', '--json');
    const { details, path: steps } = responseOf(again.out);
    expect([again.code, details['halts']]).toEqual([
      3,
      [expect.objectContaining({ rejections_left: 0, task: 'Count the lines.' })],
    ]);
    expect(steps.map(({ block, signal }) => `${block} ${String(signal)}`)).toEqual([
      'Main__Edit SIGNAL:SUCCESS',
      'Main__Approve SIGNAL:REJECTED',
      'Main__Edit SIGNAL:SUCCESS',
    ]);
    expect(again.err).not.toContain('--reject');
    const refused = await at.robosmith('resume', run, '--halt', 'h2', '--reject', 'still not', '--json');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining(
        'The work was rejected here as often as "max_rejections" of the block allows. Possible answers are proceed, next, jump, abort.',
      ),
    ]);
    const done = await at.robosmith('resume', run, '--halt', 'h2', '--proceed', '--json');
    const { data } = responseOf(done.out);
    expect([done.code, data.payload.filter(({ type }) => type === 'HUMAN_GUIDANCE')]).toEqual([
      0,
      [
        expect.objectContaining({
          content: 'one line is not enough',
          source: { block: 'Main__Approve', visit: 1 },
          meta: { rejected: true },
        }),
      ],
    ]);
  });

  test('without a row says what to write, needs a reason, and takes no guidance beside it', async () => {
    verifies('engine.answer.reject');
    const run = await halted({ transitions: [to('SUCCESS', 'RETURN'), HALT] });
    const refused = await at.robosmith('resume', run, '--reject', 'no');
    expect([refused.code, refused.err.replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining('add { "on_signal": "SIGNAL:REJECTED", "action": "JUMP:<block>" } to its transitions'),
    ]);
    const empty = await at.robosmith('resume', run, '--reject', ' ');
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('--reject needs a reason')]);
    const both = await at.robosmith('resume', run, '--reject', 'no', '--guidance', 'why');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("can't be combined")]);
  });

  test('can be given before its halt, also in a simulation', async () => {
    verifies('engine.answer.reject');
    at = await project({
      '.flow/.keep': '',
      '.vision/workflows.json': gated(REJECTS),
      'answers.json': { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
    });
    const answers = ['--answer', 'Approve=reject:too short', '--answer', 'Approve=proceed'];
    const simulated = await at.robosmith('simulate', '--script', 'answers.json', ...answers, '--json');
    expect(simulated.code).toBe(0);
    const ran = await at.robosmith('run', '--in', '.', '--trust', ...answers, '--json');
    expect(ran.code).toBe(0);
    for (const { out } of [simulated, ran])
      expect(responseOf(out).path.map(({ signal }) => signal)).toEqual([
        ...['SIGNAL:SUCCESS', 'SIGNAL:REJECTED', 'SIGNAL:SUCCESS', 'SIGNAL:SUCCESS'],
      ]);
  });

  test('reaches a run of a session in the host', async () => {
    verifies('engine.answer.reject');
    const sessions: SessionProject = await sessionProject({
      ...gated(REJECTS),
      workers: { 'Worker:Edit': { kind: 'command', command: ['node', '-e', EDIT] } },
    });
    at = sessions;
    sessions.write('.flow/flow.registry.json', '{ "Internal:ManualIntervention": "builtin:ManualIntervention" }');
    const begun = await sessions.robosmith('run', '--session', 'Alpha', '--detach', '--trust');
    expect(begun.code).toBe(0);
    await sessions.untilState('Alpha', 'halted');
    const halt = await sessions.robosmith('resume', '--reject', 'again', '--json');
    expect(responseOf(halt.out).details['diff']).toBe(
      `robosmith sessions diff ${(await sessions.session('Alpha')).id}`,
    );
    expect(responseOf(halt.out).path.map(({ signal }) => signal)).toEqual([
      ...['SIGNAL:SUCCESS', 'SIGNAL:REJECTED', 'SIGNAL:SUCCESS'],
    ]);
  });
});
