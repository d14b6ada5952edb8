import { context } from 'esbuild';
import { bundle, commandLine, library } from './bundle.ts';
import { bundleViews } from './views/bundle-views.ts';

if (process.argv.includes('--watch')) {
  for (const options of [commandLine('dist'), library('dist')]) {
    const watched = await context({ ...options, logLevel: 'info' });
    await watched.watch();
  }
  await bundleViews('dist', true);
} else {
  await bundle('dist');
}
