import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { ROOT } from './cruise.ts';

const MOST_BYTES = 120_000;

test('the client of the host bundles without the engine', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(ROOT, 'src/host/client/index.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const ours = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'));
  expect(ours.filter((file) => !/^src\/(host\/(client|wire)|io|protocol)\//.test(file))).toEqual([]);
  expect(outputFiles.map(({ contents }) => contents.length < MOST_BYTES)).toEqual([true]);
});
