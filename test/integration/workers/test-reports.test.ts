import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import type { ReportFile } from '#protocol/report-files.ts';
import type { Processes } from '#protocol/services.ts';
import { prepareTests } from '#workers/index.ts';

const SAMPLES = path.join(import.meta.dirname, '../../samples/test-reports');

interface Recording {
  readonly command: readonly [string, ...string[]];
  readonly project: string;
  readonly exitCode: number;
  readonly output: string;
  readonly reports: readonly ReportFile[];
}

const recordings = readdirSync(path.join(SAMPLES, 'recorded')).filter((name) => !name.endsWith('.expected.json'));

/** Returns what is read out of a recording of a real runner, as `record.ts` beside the projects has made it. */
async function replay(name: string) {
  const text = readFileSync(path.join(SAMPLES, 'recorded', name), 'utf8');
  const { project, ...recording } = JSON.parse(text) as Recording;
  const folder = path.join(SAMPLES, 'projects', project);
  const here = (one: string): string => one.replaceAll('/project', folder);
  const { command: argv, exitCode, output } = recording;
  const reports = recording.reports.map((one) => ('text' in one ? { ...one, text: here(one.text) } : one));
  const recorded: Processes = {
    run: (_request, _signal, onOutput) => {
      onOutput?.(here(output));
      return Promise.resolve({ exitCode, output: here(output), durationMs: 1, ended: 'exited', error: null, reports });
    },
  };
  const tests = await prepareTests({ argv, cwd: folder, files: createFiles(folder), allowEmpty: false });
  const result = await tests.processes(recorded).run(tests.request, new AbortController().signal);
  const { passed, reason, remark, report } = await tests.end(result);
  const { format, counts, findings = [] } = report ?? {};
  return {
    passed,
    reason,
    remark,
    format,
    counts,
    findings: findings.map(({ name: test, file, line, message }) => ({ test, file, line, message })),
  };
}

describe('a recording of a real test runner', () => {
  test.each(recordings)('%s', async (name) => {
    const read = await replay(name);
    const expected = path.join(SAMPLES, 'recorded', name.replace('.json', '.expected.json'));
    if (process.env['UPDATE'] !== undefined) writeFileSync(expected, `${JSON.stringify(read, null, 2)}\n`);
    expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(readFileSync(expected, 'utf8')));
  });

  test('of a failure never passes', async () => {
    const outcomes = await Promise.all(recordings.map(async (name) => [name, (await replay(name)).passed]));
    expect(outcomes.filter(([, passed]) => passed)).toEqual([]);
  });
});
