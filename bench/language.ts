import { readFileSync } from 'node:fs';
import { complete, createProjects, problems, rename, type Schema } from '../src/language/index.ts';
import { timed } from './measure.ts';
import { bigManifest } from './workflows.ts';

const schema = JSON.parse(readFileSync(new URL('../schemas/workflow.schema.json', import.meta.url), 'utf8')) as Schema;

const FILE = '.vision/workflows.json';

/**
 * Measures, in microseconds, how long the language server needs after a change of a manifest with this many blocks: for
 * problems, completions, and a rename.
 */
export function languageCost(blocks: number): {
  readonly problems: () => Promise<number>;
  readonly completions: () => Promise<number>;
  readonly rename: () => Promise<number>;
} {
  const text = JSON.stringify(bigManifest(blocks), null, 2);
  const make = createProjects();
  let edits = 0;
  /** Opens the manifest with a different text each time, as after a key press. */
  const opened = () => make([{ path: FILE, text: `${text}${' '.repeat((edits += 1) % 50)}` }], {});
  const lines = text.split('\n');
  const line = lines.findIndex((one) => one.includes('"action": "JUMP:'));
  const position = { line, character: (lines[line] ?? '').indexOf('JUMP:') + 'JUMP:'.length };
  return {
    problems: () =>
      timed(() => {
        if (problems(opened()).get(FILE) === undefined) throw new Error('the file has no list of problems');
      }),
    completions: () =>
      timed(() => {
        if (complete(opened(), FILE, position, schema).length < blocks / 100) throw new Error('too few completions');
      }),
    rename: () =>
      timed(() => {
        const result = rename(opened(), FILE, { ...position, character: position.character + 1 }, 'Another-name');
        if (!result.ok || result.edits.length < 2) throw new Error('nothing was renamed');
      }),
  };
}
