import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserConsoleLog } from 'vitest';
import type { Reporter } from 'vitest/node';
import { createKeySearch, describeLeaks } from './find-keys.ts';
import { testKeys } from './test-keys.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/**
 * Searches the output of the suite, earlier reports and the bundles for test keys. A key that is found fails the run.
 */
export function keyReporter(reports: string | undefined): Reporter {
  const search = createKeySearch(testKeys());
  const said: string[] = [];
  return {
    onUserConsoleLog: ({ content, taskId }: UserConsoleLog) => {
      said.push(...search.inText(content, `what ${taskId ?? 'a test'} printed`).map((leak) => describeLeaks([leak])));
    },
    onTestRunEnd: () => {
      const places = [DIST, ...(reports === undefined ? [] : [path.resolve(reports)])];
      const leaks = [...said, ...places.flatMap((place) => search.below(place)).map((leak) => describeLeaks([leak]))];
      if (leaks.length === 0) return;
      console.error(`KEYS LEAKED\n${leaks.join('\n')}`);
      process.exitCode = 1;
    },
  };
}
