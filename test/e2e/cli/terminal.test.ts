import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { onTerminal as startOnTerminal } from './pseudo-terminal.ts';
import { ANSWERS, manifest, NODE, project, type Project, to } from './robosmith.ts';
import { MANIFEST, sessionProject } from './session-project.ts';

let at: Project;
let running: ReturnType<typeof startOnTerminal> | null = null;
afterEach(() => {
  running?.kill();
  return at.remove();
});

type Typed = Parameters<typeof startOnTerminal>[2];

function onTerminal(args: readonly string[], typed: Typed) {
  running = startOnTerminal(at.folder, args, typed);
  return running.ended;
}

const ENTER = '\r';
const DOWN = '\u001b[B';

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test('trust and halts are asked for, and the live view is in colour', async () => {
    verifies('cli.run.prompt', 'cli.run.trust', 'cli.progress.terminal');
    at = await project({
      '.vision/workflows.json': manifest([NODE, '-e', 'console.log("it is broken"); process.exit(1)']),
      '.vision/answers.json': ANSWERS,
      '.flow/.keep': '',
    });
    const { code, text, plain } = await onTerminal(
      ['run', 'Main', '--in', '.'],
      [
        ['Do you trust it?', 'y'],
        ['Main__Test waits for you.', DOWN],
        ['● Ask for a change: Test works again', DOWN],
        ['● Stop: end the run', DOWN],
        ['● More: try again, skip, jump', ENTER],
        ['● Back', DOWN],
        ['● Try Test again as it is', DOWN],
        ['● Skip to the next block', ENTER],
        ['Guidance for the workers', `look here${ENTER}`],
      ],
    );
    expect(plain).toContain('it is broken');
    expect(plain).toContain('→ Test  answered: next');
    expect(plain).toContain('✓ Completed in 3 steps');
    expect(text).toContain('\u001b[32m');
    expect(plain).toContain('⠋ Test');
    expect(code).toBe(0);
  });

  test('turning away from the question leaves the halt, with the commands that answer it', async () => {
    verifies('cli.run.prompt');
    at = await project({
      '.vision/workflows.json': manifest([NODE, '-e', 'process.exit(1)']),
      '.vision/answers.json': ANSWERS,
      '.flow/.keep': '',
    });
    const { code, plain } = await onTerminal(
      ['run', 'Main', '--in', '.', '--trust'],
      [['Main__Test waits for you.', '\u0003']],
    );
    expect(plain.match(/waits for a person after/g)).toHaveLength(1);
    expect(plain).toMatch(/robosmith resume r[0-9a-f]{12} --halt h1 --next/);
    expect(code).toBe(3);
  });

  test('a sentence typed at a gate approves nothing', async () => {
    verifies('engine.answer.no-free-text');
    const gated = manifest([NODE, '-e', 'process.exit(0)']);
    Object.assign(gated.nodes.Main.blocks.Test, { gate: true });
    at = await project({
      '.vision/workflows.json': gated,
      '.vision/answers.json': ANSWERS,
      '.flow/.keep': '',
    });
    const { code, plain } = await onTerminal(
      ['run', 'Main', '--in', '.', '--trust'],
      [['Main__Test waits for you.', `no, do not${ENTER}`]],
    );
    expect(plain).not.toContain('answered');
    expect(code).toBe(3);
  });

  test('a gate shows what the session has changed, and its diff; so does a merge', async () => {
    verifies('cli.run.prompt.diff');
    const { Fix } = MANIFEST.nodes;
    const { Edit } = Fix.blocks;
    const halt = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
    const blocks = {
      Edit: { ...Edit, transitions: [to('SUCCESS', 'JUMP:Approve'), halt] },
      Approve: { worker: 'Internal:ManualIntervention', transitions: [to('SUCCESS', 'RETURN'), halt] },
    };
    const sessions = await sessionProject({ ...MANIFEST, nodes: { Fix: { ...Fix, blocks } } });
    at = sessions;
    sessions.write('.flow/flow.registry.json', '{ "Internal:ManualIntervention": "builtin:ManualIntervention" }');
    sessions.openGate();
    const gate = await onTerminal(
      ['run', '--trust', '--session', 'Alpha'],
      [
        ['Fix__Approve waits for you.', DOWN],
        ['● Show the diff', ENTER],
        ['Fix__Approve waits for you.', DOWN + DOWN],
        ['● Approve it and go on', ENTER],
        ['Guidance for the workers', ENTER],
      ],
    );
    expect(gate.plain).toContain('Changed since its base: +1 −0 in 1 file\n  M src/a.txt  +1 −0\n');
    expect(gate.plain).toContain('@@ -1 +1,2 @@\n one\n+by alpha\n');
    expect(gate.code).toBe(0);
    const declined = await onTerminal(
      ['sessions', 'merge', 'Alpha'],
      [['Merge Alpha into main?', DOWN + DOWN + ENTER]],
    );
    expect([declined.code, sessions.git('log', '--format=%s')]).toEqual([2, 'one\n']);
    const merge = await onTerminal(
      ['sessions', 'merge', 'Alpha'],
      [
        ['Merge Alpha into main?', DOWN + ENTER],
        ['+by alpha', ''],
        ['Merge Alpha into main?', ENTER],
      ],
    );
    expect(merge.plain).toContain('Changed since its base: +1 −0 in 1 file\n  M src/a.txt  +1 −0\n');
    expect([merge.code, sessions.git('log', '--format=%s')]).toEqual([0, 'Alpha\none\n']);
    await sessions.robosmith('sessions', 'new', 'Beta');
    const { worktree } = await sessions.session('Beta');
    if (worktree !== null) writeFileSync(path.join(worktree, 'new.txt'), 'new\n');
    const unasked = await onTerminal(['sessions', 'merge', 'Beta', '--yes', '--message', 'Unasked'], []);
    expect(unasked.plain).not.toContain('Merge Beta into main?');
    expect([unasked.code, sessions.git('log', '-1', '--format=%s')]).toEqual([0, 'Unasked\n']);
  });
});
