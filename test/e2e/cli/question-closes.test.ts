import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chain, RUN } from './durable.ts';
import { type HostedProject, hostedProject, killHard } from './hosted.ts';
import { onTerminal } from './pseudo-terminal.ts';
import { to } from './robosmith.ts';

let at: HostedProject;
let terminal: ReturnType<typeof onTerminal> | null = null;
beforeEach(async () => {
  at = await hostedProject({ '.vision/workflows.json': TWO_GATES });
});
afterEach(async () => {
  terminal?.kill();
  await at.remove();
});

const gate = (name: string, then: string) => ({
  worker: `Worker:${name}`,
  gate: true,
  transitions: [to('SUCCESS', then), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
});

const TWO_GATES = chain({ blocks: { A: gate('A', 'JUMP:B'), B: gate('B', 'JUMP:C') } });

const ENTER = '\r';
const DOWN = '\u001b[B';

describe.skipIf(process.platform !== 'linux')('a question on a terminal is closed', () => {
  test('when its halt is answered elsewhere: the next halt is asked about, and its answer counts', async () => {
    await at.startHost();
    terminal = onTerminal(at.folder, RUN, [
      [
        'Main__A waits for you.',
        async () => {
          const { run } = await at.newest();
          // It ends at the second gate, with exit code 3.
          expect((await at.robosmith('resume', run, '--halt', 'h1', '--proceed')).code).toBe(3);
          return '';
        },
      ],
      ['Main__B waits for you.', DOWN],
      ['● Approve: start B', ENTER],
      ['Guidance for the workers', ENTER],
    ]);
    const { code, plain } = await terminal.ended;
    expect(plain).toContain('✓ Completed in 3 steps');
    expect(code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });

  test('when the host is killed: the command ends, and says what is kept', async () => {
    const { pid } = await at.startHost();
    terminal = onTerminal(at.folder, RUN, [['Main__A waits for you.', () => killHard(pid).then(() => '')]]);
    const { code, plain } = await terminal.ended;
    expect(plain).toContain('The finished steps of its runs are kept.');
    expect(plain).not.toContain('answered');
    expect(code).not.toBe(0);
    expect(await at.ran()).toEqual([]);
  });
});
