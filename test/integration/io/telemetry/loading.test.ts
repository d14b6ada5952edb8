import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../../../scripts/bundle.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { startCollector } from '../../../support/collector.ts';
import { spansIn } from './otlp-protobuf.ts';

const SOURCE = fileURLToPath(new URL('../../../../src/engine/telemetry.ts', import.meta.url));

/** A preload that records every module that is loaded, and prints the list on standard output at exit. */
const WATCH_LOADING = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
process.on('exit', () => console.log(JSON.stringify(loaded)));
`;

/** Returns a program that reports the start and the end of a run to telemetry, as the engine does. */
const program = (module: string): string => `
import { telemetryFromEnvironment } from ${JSON.stringify(pathToFileURL(module).href)};
const telemetry = await telemetryFromEnvironment(process.env);
const event = { run_id: 'r1', trace_id: '${'ab'.repeat(16)}', time: 1000 };
telemetry?.listener({ ...event, seq: 1, type: 'run.started', node: 'Main', block: 'Main__A', source: null });
telemetry?.listener({ ...event, seq: 2, time: 1500, type: 'run.finished', outcome: 'completed',
  response: { success: true, reason: null, metadata: { steps: 0 }, details: {} } });
const said = await telemetry?.close();
if (said) throw new Error(said);
`;

let folder: string;
let watcher: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-telemetry-'));
  watcher = path.join(folder, 'watch-loading.mjs');
  await writeFile(watcher, WATCH_LOADING);
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the modules that a process loads when it exports a run, or when no exporter is configured. */
async function filesLoaded(module: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const main = path.join(folder, 'main.mjs');
  await writeFile(main, program(module));
  const args = ['--import', pathToFileURL(watcher).href, main];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, text.err]).toEqual([0, '']);
  const urls = JSON.parse(text.out) as readonly string[];
  return urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}

const isTheirs = (file: string): boolean => file.includes(`${path.sep}@opentelemetry${path.sep}`);

describe('of OpenTelemetry', () => {
  test('nothing is loaded without an endpoint, and the exporter with one', async () => {
    verifies('engine.metadata.otel');
    const without = await filesLoaded(SOURCE, {});
    expect(without).toContain(SOURCE);
    expect(without.filter(isTheirs)).toEqual([]);

    const collector = await startCollector();
    const loaded = await filesLoaded(SOURCE, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
    expect(loaded.some((file) => file.includes('exporter-trace-otlp-proto'))).toBe(true);
    expect(loaded.some((file) => file.includes('exporter-trace-otlp-http'))).toBe(false);
    expect(collector.exports.flatMap((sent) => spansIn(sent, 0)).map(({ name, end }) => [name, end])).toEqual([
      ['run Main', 1500],
    ]);
    await collector.close();
  });

  test('as it is bundled for the command line, it is a chunk of its own that works, and is loaded for an endpoint only', async () => {
    verifies('engine.metadata.otel');
    const outdir = path.join(folder, 'bundle');
    const { metafile } = await build({ ...commandLine('unused'), entryPoints: [SOURCE], outdir, metafile: true });
    const theirs = Object.entries(metafile.outputs)
      .filter(([, { inputs }]) => Object.keys(inputs).some((input) => input.includes('node_modules/@opentelemetry/')))
      .map(([output]) => path.resolve(output));
    expect(theirs.length).toBeGreaterThan(0);

    const entry = path.join(outdir, 'telemetry.js');
    const without = await filesLoaded(entry, {});
    expect(without).toContain(entry);
    expect(without.filter((file) => theirs.includes(file))).toEqual([]);

    const collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const loaded = await filesLoaded(entry, env);
    expect(loaded.filter((file) => theirs.includes(file)).length).toBeGreaterThan(0);
    expect(loaded.filter(isTheirs)).toEqual([]);
    expect(collector.exports.length).toBe(1);
    await collector.close();
    expect(await readFile(entry, 'utf8')).not.toContain('OTLPTraceExporter');
  });
});
