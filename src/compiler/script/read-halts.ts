import type { JsonObject } from '#protocol/json.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readList, readString } from '../1-parse/json-reader.ts';
import { withoutPrefix } from '../2-resolve/ids.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';

/** The names that a script may use: the manifest's blocks, and every worker that it declares or uses. */
export interface ScriptNames {
  readonly blocks: ReadonlySet<string>;
  readonly workers: ReadonlySet<string>;
}

const repairersOf = ({ recovery }: GraphBlock): readonly string[] =>
  Object.values(recovery)
    .flat()
    .flatMap((policy) => (policy.policy === 'repair' ? [policy.worker] : []));

export function scriptNames(graph: Graph): ScriptNames {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = blocks.flatMap((block) => [block.worker, ...repairersOf(block)]);
  return {
    blocks: new Set(blocks.map(({ id }) => id)),
    workers: new Set([...graph.workers.map(({ name }) => name), ...used]),
  };
}

const isVerb = (text: string | null): text is ScriptedAnswer['answer'] =>
  text === 'retry' || text === 'proceed' || text === 'reject' || text === 'next' || text === 'jump' || text === 'abort';

function checkBlock(
  code: 'RS5002' | 'RS5003',
  written: JsonObject,
  member: string,
  names: ScriptNames,
  { report, nearest }: Diagnose,
): string | null {
  const block = readString(written, member);
  if (block === null || block === '') return null;
  const id = withoutPrefix(block, 'Block:');
  if (!names.blocks.has(id))
    report(code, { container: written, member }, { block }, { near: nearest(id, names.blocks) });
  return id;
}

function readAnswer(written: JsonObject, names: ScriptNames, diagnose: Diagnose): ScriptedAnswer | null {
  const block = checkBlock('RS5002', written, 'block', names, diagnose);
  const to = checkBlock('RS5003', written, 'to', names, diagnose);
  const answer = readString(written, 'answer');
  const guidance = readString(written, 'guidance');
  if (answer === 'jump' && !Object.hasOwn(written, 'to'))
    diagnose.report('RS5004', { container: written, member: 'answer' }, {});
  if (block === null || !isVerb(answer)) return null;
  return { block, answer, ...(to === null ? {} : { to }), ...(guidance === null ? {} : { guidance }) };
}

/** Reads `@halts`: the answers to halts, in order. */
export function readHalts(root: JsonObject, names: ScriptNames, diagnose: Diagnose): readonly ScriptedAnswer[] {
  const list = readList(root, '@halts') ?? [];
  return list
    .map((written) => (isObject(written) ? readAnswer(written, names, diagnose) : null))
    .filter((answer) => answer !== null);
}
