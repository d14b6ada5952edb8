import { context } from 'esbuild';
import { analysisServer, bundle, commandLine, library } from './bundle.ts';

if (process.argv.includes('--watch')) {
  for (const options of [commandLine('dist'), library('dist'), analysisServer('dist')]) {
    const watched = await context({ ...options, logLevel: 'info' });
    await watched.watch();
  }
} else {
  await bundle('dist');
}
