import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { responseOf } from './durable-documents.ts';
import { chain, type DurableProject, durableProject, RUN, worker } from './durable.ts';
import { nextCommands, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

/** Starts a run that halts at block B, and returns its id. */
async function halted(): Promise<string> {
  at = await durableProject({ 'fail-B': '' });
  await at.robosmith(...RUN);
  return (await at.newest()).run;
}

const write = (manifest: object): Promise<void> => at.write('.vision/workflows.json', manifest);

const { C } = chain().nodes.Main.blocks;
const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Returns the manifest with another worker for block C and a new block D after it. */
const longer = () =>
  chain({
    workers: { 'Worker:D': worker('D') },
    blocks: {
      C: { ...C, worker: 'Worker:D', transitions: [to('SUCCESS', 'JUMP:D'), HALT] },
      D: { worker: 'Worker:D', transitions: [to('SUCCESS', 'RETURN'), HALT] },
    },
  });

describe('a manifest that has changed since', () => {
  test('is said, and the run goes on with its own', async () => {
    verifies('engine.drift.stored-manifest');
    verifies('cli.resume');
    const run = await halted();
    const same = await at.robosmith('resume', run);
    expect(same.err).not.toContain('has changed');
    await write(longer());
    const { code, err } = await at.robosmith('resume', run, '--next');
    expect(code).toBe(0);
    expect(err.split('\n')[0]).toBe(
      `! .vision/workflows.json has changed (4 differences: worker Worker:D, block Main__C, block Main__D). The run continues with the manifest that it was started with; robosmith resume ${run} --manifest new would use the current one.`,
    );
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });

  test('and has errors, or is gone, is no obstacle', async () => {
    const run = await halted();
    await write({});
    const broken = await at.robosmith('resume', run, '--retry');
    expect(broken.code).toBe(3);
    expect(broken.err).toMatch(
      /^! \.vision\/workflows\.json has \d+ errors? now: the run continues with the manifest that it was started with\.\n/,
    );
    await at.unlink('.vision');
    expect((await at.robosmith('resume', run, '--halt', 'h2', '--next')).code).toBe(0);
  });
});

describe('--manifest new', () => {
  test('goes over to it, for good, where all that was recorded is still as it was', async () => {
    verifies('engine.drift.migrate');
    verifies('cli.resume');
    const run = await halted();
    await write(longer());
    // The new manifest has a command that the user has not trusted yet.
    const untrusted = await at.robosmith('resume', run, '--manifest', 'new', '--retry', '--json');
    expect([untrusted.code, responseOf(untrusted.out).reason]).toEqual([2, 'not_trusted']);
    const [trusting = []] = nextCommands(untrusted.err);
    expect(trusting).toEqual(['resume', run, '--retry', '--manifest', 'new', '--trust']);
    expect((await at.robosmith(...trusting)).code).toBe(3);
    await write(chain());
    const { code, out } = await at.robosmith('resume', run, '--halt', 'h2', '--next', '--json');
    expect([code, responseOf(out).metadata.steps]).toEqual([0, 4]);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'D', 'D']);
    expect((await at.robosmith('runs', 'replay', run)).out).toBe('✓ The same path, 4 steps.\n');
    const fork = await at.robosmith('runs', 'fork', `${run}@4`);
    expect(fork.code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'D', 'D', 'D']);
  });

  test('lets a jump go to a block that only today’s has', async () => {
    verifies('cli.resume', 'cli.error.next-command-works');
    const run = await halted();
    await write(longer());
    const unknown = await at.robosmith('resume', run, '--jump', 'D', '--guidance', 'now', '--trust');
    expect([unknown.code, unknown.err.split('\n')[0]]).toEqual([
      2,
      '✗ usage  The manifest of the run has no block "D", but the current .vision/workflows.json has. Add --manifest new to use it.',
    ]);
    const [next = []] = nextCommands(unknown.err);
    expect(next).toEqual(['resume', run, '--jump', 'D', '--guidance', 'now', '--manifest', 'new']);
    expect((await at.robosmith(...next, '--trust')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'D']);
  });

  test('refuses a jump to a block that today’s has no more', async () => {
    const run = await halted();
    const { A, B } = chain().nodes.Main.blocks;
    const shorter = chain();
    await write({
      ...shorter,
      nodes: { Main: { ...shorter.nodes.Main, blocks: { A, B: { ...B, transitions: [HALT] } } } },
    });
    const { code, err } = await at.robosmith('resume', run, '--jump', 'C', '--manifest', 'new');
    expect([code, err.split('\n')[0]]).toEqual([2, '✗ usage  The manifest has no block "C".']);
  });

  test('takes the answers of its scripted workers along', async () => {
    const run = await halted();
    await at.write('.vision/answers.json', {
      'Worker:S': [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'new' }] }],
    });
    await write(
      chain({
        workers: { 'Worker:S': { kind: 'scripted', answers: './answers.json' } },
        blocks: { C: { ...C, worker: 'Worker:S' } },
      }),
    );
    await at.robosmith('resume', run, '--manifest', 'new', '--retry');
    const { code, out } = await at.robosmith('resume', run, '--halt', 'h2', '--next', '--json');
    expect([code, responseOf(out).data.payload.at(-1)?.content]).toEqual([0, 'new']);
  });

  test.each([
    ['changed', () => chain({ blocks: { A: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:C'), HALT] } } })],
    [
      'gone',
      () => {
        const manifest = chain();
        const { B, C: last } = manifest.nodes.Main.blocks;
        return { ...manifest, nodes: { Main: { entry_block: 'B', blocks: { B, C: last } } } };
      },
    ],
  ])('is refused where a recorded block is %s, and the run stays as it is', async (why, manifest) => {
    verifies('cli.resume', 'cli.exit-codes', 'cli.error.next-command-works');
    const run = await halted();
    await write(manifest());
    const { code, out, err } = await at.robosmith('resume', run, '--manifest', 'new', '--json');
    expect(code).toBe(2);
    const { reason, details } = responseOf(out);
    expect([reason, details['changed']]).toEqual(['manifest_changed', [{ block: 'Main__A', why }]]);
    expect(details['message']).toBe(
      `The run can't switch to the new manifest, because it has already executed changed blocks: Main__A is ${why}.`,
    );
    expect(nextCommands(err)).toEqual([
      ['resume', run],
      ['runs', 'show', run],
    ]);
    expect((await at.robosmith('resume', run, '--next')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });

  test('is refused where the blocks are the same, and the path would be another one', async () => {
    const run = await halted();
    await write({ ...chain(), nodes: { Main: { ...chain().nodes.Main, entry_block: 'B' } } });
    const { code, out } = await at.robosmith('resume', run, '--manifest', 'new', '--json');
    expect([code, responseOf(out).reason]).toEqual([2, 'manifest_changed']);
    expect(responseOf(out).details['message']).toMatch(
      /^The run can't switch to the new manifest, because its path would have been different: recorded: .+; now: .+\.$/,
    );
  });

  test('is refused with its errors', async () => {
    const run = await halted();
    await write({});
    const { code, out } = await at.robosmith('resume', run, '--manifest', 'new', '--json');
    expect([code, responseOf(out).reason]).toEqual([2, 'invalid_graph']);
  });
});
