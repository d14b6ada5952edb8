import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportsTo, startCollector } from '../../support/collector.ts';
import { spansIn } from '../../support/otlp-json.ts';
import { verifies } from '../verifies.ts';
import { chain, durableProject, RUN } from './durable.ts';
import { hostedProject, killHard } from './hosted.ts';
import { ANSWERS, ended, manifest, NODE, PROGRAM, project, type Project, start } from './robosmith.ts';
import { until } from '../../support/until.ts';

/** A preload that records every file that the program loads, and prints the list on standard error at exit. */
const WATCH_LOADING = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
process.on('exit', () => console.error('LOADED ' + JSON.stringify(loaded)));
`;

let at: Project;
beforeAll(async () => {
  at = await project({
    '.vision/workflows.json': manifest([NODE, '-e', '0']),
    '.vision/answers.json': ANSWERS,
    'watch-loading.mjs': WATCH_LOADING,
  });
  expect((await at.robosmith('init')).code).toBe(0);
});
afterAll(() => at.remove());

/** Runs a command and reports whether it loaded OpenTelemetry's exporter. */
async function watched(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const hook = pathToFileURL(at.file('watch-loading.mjs')).href;
  const child = spawn(NODE, ['--import', hook, PROGRAM, ...args], {
    cwd: at.folder,
    env: { ...process.env, CI: '1', NO_COLOR: '1', ROBOSMITH_CONFIG_DIR: path.join(at.folder, '../config'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const loaded = JSON.parse(/^LOADED (.*)$/m.exec(text.err)?.[1] ?? '[]') as readonly string[];
  const files = loaded.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  return { code, ...text, files: files.length, exporter: files.some((file) => holdsExporter(file)) };
}

const holdsExporter = (file: string): boolean => readFileSync(file, 'utf8').includes('OTEL_EXPORTER_OTLP_HEADERS');

test('no command loads OpenTelemetry without an endpoint; a run with one exports its spans', async () => {
  verifies('engine.metadata.otel');
  const run = ['run', 'Main', '--in', '.', '--trust'];
  for (const args of [['validate'], ['--version'], run]) {
    const { code, files, exporter } = await watched(args);
    expect([args[0], code, files > 1, exporter]).toEqual([args[0], 0, true, false]);
  }
  const collector = await startCollector();
  const env = exportsTo(collector);
  const validated = await watched(['validate'], env);
  expect([validated.code, validated.exporter, collector.exports]).toEqual([0, false, []]);
  const exported = await watched(run, env);
  expect([exported.code, exported.exporter]).toEqual([0, true]);
  const spans = collector.exports.flatMap((sent) => spansIn(sent, 0));
  expect(spans.map(({ name }) => name)).toEqual(['Main__Make', 'Main__Test', 'run Main']);
  await collector.close();

  const without = await watched(run, { ...env, OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  expect(without.code).toBe(0);
  expect(without.err).toContain(`OpenTelemetry: 3 of 3 spans did not reach the collector at ${collector.address} (`);
});

test.skipIf(process.platform === 'win32')(
  'a run whose first process was killed has its own span from the next one; one that waited had it already',
  async () => {
    const [collector, killed] = [await startCollector(), await durableProject({ 'hold-B': '' })];
    const gated = chain({ blocks: { A: { ...chain().nodes.Main.blocks.A, gate: true } } });
    const waiting = await durableProject({ '.vision/workflows.json': gated });
    try {
      const first = await killed.until('B said it', ...RUN, '--jsonl');
      first.signal('SIGKILL');
      await first.ended;
      await killed.unlink('hold-B');
      const resumed = await ended(start(['resume'], killed.folder, exportsTo(collector)));
      expect(resumed.code).toBe(0);
      const spans = collector.exports.flatMap((sent) => spansIn(sent, 0));
      const root = spans.find(({ name }) => name === 'run Main');
      expect(root).toMatchObject({
        parentSpanId: null,
        attributes: { 'robosmith.node': 'Main', 'robosmith.block': 'Main__A', 'robosmith.outcome': 'crashed' },
      });
      expect(spans.find(({ name }) => name === 'resume')?.parentSpanId).toBe(root?.spanId);
      expect(spans.map(({ name }) => name).sort()).toEqual(['Main__B', 'Main__B', 'Main__C', 'resume', 'run Main']);

      expect((await waiting.robosmith(...RUN)).code).toBe(3);
      const sent = collector.exports.length;
      expect((await ended(start(['resume', '--proceed'], waiting.folder, exportsTo(collector)))).code).toBe(0);
      const after = collector.exports.slice(sent).flatMap((one) => spansIn(one, 0));
      expect(after.map(({ name }) => name).sort()).toEqual(['Main__A', 'Main__B', 'Main__C', 'resume']);
    } finally {
      await Promise.all([killed.remove(), waiting.remove(), collector.close()]);
    }
  },
);

test('a run whose host was killed has its own span from the next host', async () => {
  const [collector, hosted] = [await startCollector(), await hostedProject({ 'hold-B': '' })];
  try {
    const { pid } = await hosted.startHost();
    const run = await hosted.detach();
    await until(async () => (await hosted.ran()).at(-1) === 'B', 'block B');
    await killHard(pid);
    await hosted.unlink('hold-B');
    expect((await ended(start(['host', 'start'], hosted.folder, exportsTo(collector)))).code).toBe(0);
    expect((await hosted.robosmith('resume', run)).code).toBe(0);
    const spans = (): ReturnType<typeof spansIn> => collector.exports.flatMap((sent) => spansIn(sent, 0));
    await until(() => spans().some(({ name }) => name === 'resume'), 'the span of the resume');
    const root = spans().find(({ name }) => name === 'run Main');
    expect(root).toMatchObject({ parentSpanId: null, attributes: { 'robosmith.outcome': 'crashed' } });
    expect(spans().find(({ name }) => name === 'resume')?.parentSpanId).toBe(root?.spanId);
  } finally {
    await Promise.all([hosted.remove(), collector.close()]);
  }
});
