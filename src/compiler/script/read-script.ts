import type { ManifestSource } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Script, ScriptEntry } from '#protocol/script.ts';
import { checkShape } from '../1-parse/report-shape-error.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList } from '../1-parse/json-reader.ts';
import { readText } from '../1-parse/read-text.ts';
import { withoutPrefix } from '../2-resolve/ids.ts';
import { validate } from '../generated/validate-script.gen.js';
import { readEntry } from './read-entry.ts';
import { readTest } from './read-test.ts';
import { readHalts, scriptNames, type ScriptNames } from './read-halts.ts';

const isReserved = (key: string): boolean =>
  key === '@halts' || key === '@test' || key === '$schema' || key.startsWith('x-');

function checkKey(
  root: JsonObject,
  key: string,
  name: string,
  names: ScriptNames,
  { report, nearest }: Diagnose,
): void {
  if (name === '*' || names.blocks.has(name) || names.workers.has(name)) return;
  const near = nearest(name, [...names.blocks, ...names.workers, '@halts', '@test']);
  report('RS5001', { container: root, member: key, side: 'key' }, { key }, { near });
}

function readAnswers(root: JsonObject, names: ScriptNames, diagnose: Diagnose): Script['answers'] {
  const answers = new Map<string, readonly ScriptEntry[]>();
  for (const [key, list] of Object.entries(root)) {
    if (isReserved(key)) continue;
    const name = withoutPrefix(key, 'Block:');
    checkKey(root, key, name, names, diagnose);
    if (!isList(list)) continue;
    const entries = list.map((_, index) => readEntry(list, index, diagnose));
    answers.set(
      name,
      entries.filter((entry) => entry !== null),
    );
  }
  return answers;
}

/** Parses the text of a script file; returns null if there is any error. */
export function readScript(source: ManifestSource, graph: Graph, diagnose: Diagnose): Script | null {
  const root = readText(source, 0, diagnose);
  if (root === null) return null;
  checkShape(root, validate, diagnose);
  const names = scriptNames(graph);
  const test = readTest(root, graph, names, diagnose);
  const script: Script = {
    answers: readAnswers(root, names, diagnose),
    halts: readHalts(root, names, diagnose),
    ...(test === null ? {} : { test }),
  };
  return diagnose.findings.hasErrors() ? null : script;
}
