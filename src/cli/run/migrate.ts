import { isDeepStrictEqual } from 'node:util';
import { refusalResponse } from '#engine/authoring.ts';
import { replayStored, type RunDetails } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import { differenceText } from '../print/differences.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';

interface Unfit {
  readonly block: string;
  readonly why: 'gone' | 'changed';
}

/** Returns a block's definition without its position in the text and without its successor. */
const definition = (block: GraphBlock): unknown =>
  JSON.parse(JSON.stringify({ ...block, origin: undefined, next: undefined }));

const blocksOf = ({ nodes }: Graph): ReadonlyMap<string, GraphBlock> =>
  new Map(nodes.flatMap(({ blocks }) => blocks.map((block) => [block.id as string, block] as const)));

/** Returns the blocks of recorded steps and open halts whose definition has changed. */
function unfitBlocks({ path, listing, header, graph }: RunDetails, to: Graph): readonly Unfit[] {
  const { start } = header.started;
  const [before, after] = [blocksOf(graph), blocksOf(to)];
  const recorded = new Set<string>([...path, ...listing.summary.halts].map(({ block }) => block));
  const unfit = [...recorded].flatMap((id): readonly Unfit[] => {
    const [was, is] = [before.get(id), after.get(id)];
    if (was === undefined || is === undefined) return [{ block: id, why: 'gone' }];
    return isDeepStrictEqual(definition(was), definition(is)) ? [] : [{ block: id, why: 'changed' }];
  });
  const begins = 'block' in start ? after.has(start.block) : to.nodes.some(({ id }) => id === start.node);
  return begins ? unfit : [...unfit, { block: 'block' in start ? start.block : start.node, why: 'gone' }];
}

/** Returns why a run can't change to another manifest, or null. */
export async function refuseMigration(
  root: string,
  details: RunDetails,
  to: CompiledWorkflow,
  kept: StoredRunCommands,
): Promise<Response | null> {
  const next = [kept.command('resume'), kept.command('runs show')];
  const { source } = details.header.started;
  const changed = unfitBlocks(details, to.graph);
  if (changed.length > 0) {
    const names = changed.map(({ block, why }) => `${block} is ${why}`).join(', ');
    const message = `The run can't switch to the new manifest, because it has already executed changed blocks: ${names}.`;
    return refusalResponse('manifest_changed', { message, changed: changed.map((one) => ({ ...one })), next }, source);
  }
  const replayed = await replayStored(root, kept.run, to);
  if (replayed.kind === 'same' && replayed.response.reason !== 'corrupt_state') return null;
  const where = replayed.kind === 'different' ? `: ${differenceText(replayed.difference)}` : '';
  const message = `The run can't switch to the new manifest, because its path would have been different${where}.`;
  return refusalResponse('manifest_changed', { message, changed: [], next }, source);
}
