import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyEdits } from '../src/engine/authoring.ts';
import { timed } from './measure.ts';

const MEGABYTE = 1_000_000;

/** The text of a file of 1 MB, in lines of 50 bytes that all differ. */
const text = Array.from({ length: MEGABYTE / 50 }, (_, index) => `const value${index} = `.padEnd(49, 'x')).join('\n');

/**
 * Measures, in microseconds, how long an edit in the middle of a 1 MB file takes. The floor is reading, writing and
 * renaming that file.
 */
export function editOfAMegabyte() {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-bench-'));
  const file = path.join(folder, 'a.ts');
  writeFileSync(file, text);
  let turn = 0;
  const edit = (): Promise<number> => {
    turn += 1;
    const operations = [
      { op: 'insert', path: 'a.ts', anchor: 'const value10000 =', content: `// turn ${turn}`, position: 'before' },
    ];
    return timed(async () => {
      const applied = await applyEdits(JSON.stringify(operations), folder, false);
      if (!applied.ok) throw new Error(JSON.stringify(applied.problems));
    });
  };
  const floor = (): Promise<number> =>
    timed(() => {
      writeFileSync(`${file}.new`, readFileSync(file));
      renameSync(`${file}.new`, file);
      return Promise.resolve();
    });
  return { edit, floor, done: () => rmSync(folder, { recursive: true, force: true }) };
}
