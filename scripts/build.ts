import { rmSync } from 'node:fs';
import { build, context } from 'esbuild';
import { analysisServer, bundle, commandLine, copyElk, extension, library } from './bundle.ts';
import { buildValidators } from './generate/validator.ts';
import { watchViews } from './views/bundle-views.ts';

await buildValidators();
if (process.argv.includes('--watch')) {
  copyElk('dist');
  for (const options of [commandLine('dist'), library('dist'), analysisServer('dist'), extension('out')]) {
    const watched = await context({ ...options, logLevel: 'info' });
    await watched.watch();
  }
  await watchViews('dist');
} else {
  await bundle('dist');
  rmSync('out', { recursive: true, force: true });
  await build(extension('out'));
}
