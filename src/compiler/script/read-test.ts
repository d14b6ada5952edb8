import type { Graph } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import { EXIT_CODE } from '#protocol/response.ts';
import type { ScriptTest } from '#protocol/script.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString, strings } from '../1-parse/json-reader.ts';
import { withoutPrefix } from '../2-resolve/ids.ts';
import type { ScriptNames } from './read-halts.ts';

/** Splits `Node__Block:SIGNAL`; the signal may be written with or without `SIGNAL:`. */
function readLookUp(text: string): { readonly block: string; readonly signal: string | null } {
  const id = withoutPrefix(text, 'Block:');
  const colon = id.indexOf(':');
  if (colon === -1) return { block: id, signal: null };
  const signal = id.slice(colon + 1);
  return { block: id.slice(0, colon), signal: signal.startsWith('SIGNAL:') ? signal : `SIGNAL:${signal}` };
}

function readPath(written: JsonObject, { blocks }: ScriptNames, { report, nearest }: Diagnose): ScriptTest['path'] {
  const container = readList(written, 'path');
  if (container === null) return null;
  return strings(container).map((text, member) => {
    const lookUp = readLookUp(text);
    if (!blocks.has(lookUp.block))
      report('RS5006', { container, member }, { name: text }, { near: nearest(lookUp.block, blocks) });
    return lookUp;
  });
}

/** Reads `@test`: what a simulation with the script must do. Returns null if the script is no test. */
export function readTest(root: JsonObject, graph: Graph, names: ScriptNames, diagnose: Diagnose): ScriptTest | null {
  const written = readObject(root, '@test');
  const end = written === null ? null : readString(written, 'end');
  if (written === null || end === null) return null;
  if (end !== 'success' && !Object.hasOwn(EXIT_CODE, end))
    diagnose.report(
      'RS5007',
      { container: written, member: 'end' },
      { end },
      { near: diagnose.nearest(end, ['success', ...Object.keys(EXIT_CODE)]) },
    );
  const start = readString(written, 'start');
  const starts = [...graph.nodes.map(({ id }) => id as string), ...names.blocks];
  if (start !== null && !starts.includes(start))
    diagnose.report(
      'RS5006',
      { container: written, member: 'start' },
      { name: start },
      { near: diagnose.nearest(start, starts) },
    );
  const { input = null } = written;
  return {
    start,
    input: has(written, 'input') && (typeof input === 'string' || isObject(input)) ? input : null,
    path: readPath(written, names, diagnose),
    end,
  };
}
