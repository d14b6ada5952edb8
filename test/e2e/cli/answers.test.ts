import { afterEach, describe, expect, test } from 'vitest';
import type { Halt, Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { ANSWERS, manifest, NODE, project, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const SCRIPT = { '*': [{ signal: 'SIGNAL:FAILURE', delay_ms: 5_000 }] };

const gated = () => {
  const written = manifest([NODE, '-e', '0']);
  const { Main } = written.nodes;
  return {
    ...written,
    nodes: { Main: { ...Main, blocks: { ...Main.blocks, Make: { ...Main.blocks.Make, gate: true } } } },
  };
};

const haltsOf = (out: string): readonly Halt[] => (JSON.parse(out) as Response).details['halts'] as readonly Halt[];

describe('a halt in the Response', () => {
  test('has its id, block, reason, time and the commands that answer it', async () => {
    verifies('engine.halt.details');
    at = await project({
      '.vision/workflows.json': manifest(['x']),
      '.vision/answers.json': ANSWERS,
      's.json': SCRIPT,
    });
    const { code, out } = await at.robosmith('simulate', 'Main', '--script', 's.json', '--json');
    const command = 'robosmith simulate Main --script s.json --answer Main__Make=';
    expect(code).toBe(3);
    expect(haltsOf(out)).toEqual([
      {
        halt_id: 'h1',
        block: 'Main__Make',
        frame: '/',
        why: 'flagged',
        since: Date.UTC(2000, 0, 1) + 5_000,
        until: null,
        last: null,
        answers: [`${command}retry`, `${command}next`, `${command}jump:Main__Test`, `${command}abort`],
      },
    ]);
  });
});

describe('free text', () => {
  const files = () => ({
    '.vision/workflows.json': gated(),
    '.vision/answers.json': ANSWERS,
    '.flow/.keep': '',
  });

  test.each(['yes', 'y', 'ok', 'approved', 'go on', 'proceed!', 'PROCEED', ''])(
    '%j is no answer to a halt: a usage error, and nothing runs',
    async (text) => {
      at = await project(files());
      const { code, out, err } = await at.robosmith(
        ...['run', 'Main', '--in', '.', '--trust', '--json', '--answer', `Main__Make=${text}`],
      );
      expect(code).toBe(2);
      expect(out).not.toContain('"success": true');
      expect(err).toContain('is not an answer: use retry, proceed, reject:<reason>, next, jump:<block> or abort.');
    },
  );

  test('that was piped in, or given as the input, approves nothing', async () => {
    at = await project(files());
    const { code, out } = await at.robosmith(
      ...['run', 'Main', '--in', '.', '--trust', '--json', '--input', 'Main__Make=proceed. Yes, proceed!'],
    );
    expect(code).toBe(3);
    expect(haltsOf(out).map(({ why }) => why)).toEqual(['gate']);
  });

  test.each(['yes', 'looks good, proceed'])('%j in a script is an error of the script', async (answer) => {
    at = await project({ ...files(), 's.json': { ...ANSWERS, '@halts': [{ block: 'Main__Make', answer }] } });
    const { code, err } = await at.robosmith('simulate', 'Main', '--script', 's.json');
    expect(code).toBe(2);
    expect(err).toContain('✗ usage  s.json has 1 error.');
  });
});
