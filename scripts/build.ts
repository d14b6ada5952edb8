import { context } from 'esbuild';
import { bundle, commandLine, copyElk, library } from './bundle.ts';

if (process.argv.includes('--watch')) {
  copyElk('dist');
  for (const options of [commandLine('dist'), library('dist')]) {
    const watched = await context({ ...options, logLevel: 'info' });
    await watched.watch();
  }
} else {
  await bundle('dist');
}
