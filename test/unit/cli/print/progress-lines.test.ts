import { expect, test } from 'vitest';
import { simulate } from '#engine/index.ts';
import { compile, parseScript } from '#compiler/index.ts';
import { liveProgress, plainProgress, type Progress } from '#cli/print/live-progress.ts';
import { progressLines } from '#cli/print/progress-lines.ts';
import { styleFor } from '#cli/print/style.ts';
import { fakeIo, type FakeIo } from '../../../support/fake-io.ts';

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'Start',
      blocks: {
        Start: {
          worker: 'Worker:A',
          recovery: { worker_error: [{ policy: 'retry', max_attempts: 2, delay_ms: 2000 }] },
          transitions: [to('SUCCESS', 'FORK:Sub,Sub:Last'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        Last: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
      },
    },
    Sub: { entry_block: 'Only', blocks: { Only: { worker: 'Worker:A', transitions: [to('FAIL_DEFAULT', 'RETURN')] } } },
  },
};

const SCRIPT = {
  Main__Start: [{ error: 'boom' }, { signal: 'SIGNAL:SUCCESS', delay_ms: 1500 }],
  Sub__Only: [{ signal: 'SIGNAL:SUCCESS' }],
  Main__Last: [{ signal: 'SIGNAL:FAILURE' }],
  '@halts': [{ block: 'Main__Last', answer: 'next' }],
};

async function printedBy(
  io: FakeIo,
  progressOf: (lines: ReturnType<typeof progressLines>) => Progress,
  script: object = SCRIPT,
): Promise<string> {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const { value } = parseScript({ path: 'script.json', text: JSON.stringify(script) }, workflow.graph);
  if (value === null) throw new Error('the script is wrong');
  const progress = progressOf(
    progressLines(workflow.graph, (block) => block === 'Main__Last', styleFor(io.stderr, io)),
  );
  await simulate(workflow, { start: { node: workflow.graph.nodes[0]!.id }, script: value, onEvent: progress.event });
  progress.pause();
  return io.err();
}

test('plain: a heading when the node changes, a line for every look-up', async () => {
  const io = fakeIo();
  expect(await printedBy(io, (lines) => plainProgress(lines, io))).toBe(`  Main
    ! Start  worker_error: Worker:A: boom
    ! Start  tries again in 2.0s
    ✓ Start  SUCCESS  → fork Sub, Sub, then Last  1.5s · 2 attempts
    Sub  branch 1
      ✓ Only  SUCCESS  → return
    Sub  branch 2
      ✓ Only  SUCCESS  → return
  Main
    ✗ Last   FAILURE  → halt  scripted
    ■ Last   waits for a person (flagged)
    → Last   answered: next
`);
});

test('the time of a failed attempt counts once', async () => {
  const io = fakeIo();
  const script = {
    ...SCRIPT,
    Main__Start: [
      { error: 'boom', delay_ms: 3100 },
      { error: 'boom', delay_ms: 1000 },
    ],
    '@halts': [{ block: 'Main__Start', answer: 'abort' }],
  };
  const text = await printedBy(io, (lines) => plainProgress(lines, io), script);
  expect(text).toContain('✗ Start  ERROR    → halt  4.1s · 2 attempts');
});

const ESCAPE = '\u001b';
const ERASE = new RegExp(`^\\r${ESCAPE}\\[(\\d+)A${ESCAPE}\\[0J`);

/** Escape sequences that turn line wrapping off and on: in between, a terminal truncates long lines. */
const CUT = '\u001b[?7l';
const WRAP = '\u001b[?7h';

test('live: what is over stays, what goes on is erased before it is drawn again', async () => {
  const io = fakeIo({ terminal: true, env: { NO_COLOR: '1' } });
  const text = (await printedBy(io, (lines) => liveProgress(lines, io))).replaceAll(CUT, '').replaceAll(WRAP, '');
  expect(text).toContain('⠋ Start');
  const left = text.split('\n').reduce<string[]>((screen, line) => {
    const [erased = '', count] = ERASE.exec(line) ?? [];
    return [
      ...(count === undefined ? screen : screen.slice(0, screen.length - Number(count))),
      line.slice(erased.length),
    ];
  }, []);
  expect(left.join('\n')).not.toContain('⠋');
  expect(left.join('\n')).toContain('✗ Last   FAILURE  → halt  scripted\n');
});

test('live: what is drawn again takes one line each, whatever the width of the window', async () => {
  const io = fakeIo({ terminal: true, env: { NO_COLOR: '1' } });
  const text = await printedBy(io, (lines) => liveProgress(lines, io));
  const [before = '', ...others] = text.split(CUT);
  const parts = others.map((part) => part.split(WRAP));
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.every(([rows = '', after = '']) => rows.includes('⠋') && !after.includes('⠋'))).toBe(true);
  expect(before).not.toContain('⠋');
});

test('live: what a worker says takes one line, so that it is erased whole', () => {
  const io = fakeIo({ terminal: true });
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  const progress = liveProgress(
    progressLines(workflow!.graph, () => false, styleFor(io.stderr, io)),
    io,
  );
  const scope = { node: 'Main', block: 'Main__Start', frame: '/', depth: 0, visit: 1, attempt: 1 };
  const event = { seq: 1, run_id: 'r1', trace_id: '', time: Date.now(), ...scope };
  progress.event({ ...event, type: 'block.started', worker: 'Worker:A' } as never);
  progress.event({ ...event, type: 'block.progress', text: 'node -e one\r\ntwo\n\nthree' } as never);
  progress.pause();
  expect(io.err()).toContain('node -e one two three');
  expect(io.err().match(/\n/g)).toHaveLength(2);
});

test('live: never more lines than the window has, or those above could not be erased', () => {
  let text = '';
  const stderr = { isTerminal: true, columns: () => 80, rows: () => 4, write: (more: string) => void (text += more) };
  const io = fakeIo({ terminal: true, stderr });
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  const progress = liveProgress(
    progressLines(workflow!.graph, () => false, styleFor(stderr, io)),
    io,
  );
  for (let branch = 0; branch < 6; branch += 1) {
    const scope = { node: 'Sub', block: 'Sub__Only', frame: `/[${branch}]`, depth: 1, visit: 1, attempt: 1 };
    const event = { seq: 1, run_id: 'r1', trace_id: '', time: Date.now(), ...scope };
    progress.event({ ...event, type: 'block.started', worker: 'Worker:A' } as never);
  }
  progress.pause();
  expect(text.split(CUT).map((drawn) => drawn.match(/\n/g)?.length ?? 0)).toEqual([0, 1, 2, 3, 3, 3, 3]);
  expect(text).toContain('and 4 more');
  // Blocks of different branches often have the same name, and the rows have no headings.
  expect(text).toContain('⠋ Sub: Only');
});

test('actions name blocks of the same node without it, also where a name ends in "_", and where calls return to', async () => {
  const nodes = {
    A_: {
      entry_block: 'b',
      blocks: {
        b: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:c')] },
        c: { worker: 'Worker:A', transitions: [to('SUCCESS', 'CALL:C')] },
        d: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:A___z')] },
      },
    },
    A: { entry_block: '_z', blocks: { _z: { worker: 'Worker:A', transitions: [to('SUCCESS', 'CALL:C:A___c')] } } },
    C: { entry_block: 'd', blocks: { d: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN')] } } },
  };
  const text = JSON.stringify({ ...MANIFEST, entry: 'A_', nodes });
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const io = fakeIo();
  const progress = plainProgress(
    progressLines(workflow.graph, () => false, styleFor(io.stderr, io)),
    io,
  );
  const { value } = parseScript({ path: 's.json', text: '{"*":[{"signal":"SIGNAL:SUCCESS"}]}' }, workflow.graph);
  if (value === null) throw new Error('the script is wrong');
  await simulate(workflow, { start: { node: workflow.graph.nodes[0]!.id }, script: value, onEvent: progress.event });
  expect(io.err()).toContain(`  A_
    ✓ b  SUCCESS  → c
    ✓ c  SUCCESS  → call C, then d
    C
      ✓ d  SUCCESS  → return
  A_
    ✓ d  SUCCESS  → A___z
  A
    ✓ _z  SUCCESS  → call C, then A___c
`);
});

test('further lines of what a worker says are marked: they are none of ours', () => {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest is wrong');
  const io = fakeIo();
  const { linesFor } = progressLines(workflow.graph, () => false, styleFor(io.stderr, io));
  const at = { frame: '/', depth: 0, node: 'Main', block: 'Main__Last', visit: 1, attempt: 1, duration_ms: 0 };
  const failure = { reason: 'worker_error', details: { message: 'boom\n✓ Completed in 1 step.\n  Main' } };
  expect(linesFor({ type: 'block.failed', ...at, failure } as never)).toEqual([
    '  Main',
    '    ! Last   worker_error: boom',
    '      | ✓ Completed in 1 step.',
    '      |   Main',
  ]);
  const evidence = [{ check: 'npm\n✓ test', held: false }];
  const entry = { ...at, step: 1, attempts: 1, signal: 'SIGNAL:FAILURE', action: 'RETURN', evidence };
  expect(linesFor({ type: 'transition.taken', entry, row: 0 } as never)).toEqual([
    expect.stringContaining('evidence failed: npm ✓ test'),
  ]);
});

test('a wait for a time and the state of keys are named for what they are', () => {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest is wrong');
  const io = fakeIo();
  const { linesFor } = progressLines(workflow.graph, () => false, styleFor(io.stderr, io));
  const at = { frame: '/', depth: 0, node: 'Main', block: 'Main__Last', visit: 1, attempt: 1 };
  const halted = (why: string) => linesFor({ type: 'block.halted', ...at, halt_id: 'h1', why } as never).at(-1);
  expect([halted('quota'), halted('endpoint'), halted('keys')]).toEqual([
    '    ■ Last   waits for its scheduled time (quota)',
    '    ■ Last   waits for its scheduled time (endpoint)',
    '    ■ Last   waits for a person (keys)',
  ]);
  const changed = (key: string, model: string | null, state: string) =>
    linesFor({ type: 'key.changed', ...at, key, model, state, until: null } as never).at(-1);
  expect([
    changed('work', null, 'invalid'),
    changed('work', 'gpt-5', 'cooling'),
    changed('no-key@127.0.0.1:8080/v1', null, 'invalid'),
    changed('no-key@127.0.0.1:8080/v1', 'gpt-5', 'cooling'),
  ]).toEqual([
    '    ! Last   the key work is invalid',
    '    ! Last   the model gpt-5 with the key work is cooling',
    '    ! Last   the server 127.0.0.1:8080/v1, called without a key, is invalid',
    '    ! Last   the model gpt-5 at 127.0.0.1:8080/v1 is cooling',
  ]);
});
