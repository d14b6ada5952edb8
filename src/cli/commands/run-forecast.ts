import { forecastStart, freeVisit, keyPlaces, pricesToday, type ProjectForecast } from '#engine/authoring.ts';
import { showPrompts } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { ForecastGap, PastVisit } from '#protocol/forecast.ts';
import type { BlockId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import { SUCCESS } from '#protocol/signal.ts';
import { usageError } from '../terminal/usage-error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printForecast } from '../print/forecast.ts';
import type { RunForecast } from '../print/json-documents.ts';
import { printJson } from '../print/json.ts';
import { atStart } from '../project/at-start.ts';
import { startOptions, type StartFlags } from '../run/start-options.ts';

interface ForecastFlags extends StartFlags {
  readonly manifest?: string;
  readonly json?: true;
}

/** The tokens of an answer that a block without past visits is assumed to give. */
const ASSUMED_OUTPUT = 1_000;

/** The number of scripted successes per block, which bounds how far the prompts of a looping workflow are followed. */
const SUCCESSES = 20;

type PriceOf = Awaited<ReturnType<typeof pricesToday>>['priceOf'];

/** Returns the visit to assume for a block from the size of its prompt and the price of its model. */
function assumedVisit(prompt: ShownPrompt, free: PastVisit, priceOf: PriceOf): PastVisit {
  const { provider, model, max_output_tokens: most, tokens } = prompt;
  const output = Math.min(most ?? ASSUMED_OUTPUT, ASSUMED_OUTPUT);
  const usage = { input: tokens.total, output, cached: 0 };
  const microUsd = priceOf({ provider, model, ...usage } as Parameters<PriceOf>[0]);
  return { ...free, ...usage, calls: 1, microUsd, model: `${provider}/${model}` };
}

/** Returns visits to assume for blocks that no earlier run has visited, as far as their prompts can be assembled. */
async function assumedVisits(
  workflow: CompiledWorkflow,
  options: RunOptions,
  { directory, root, priceOf }: { readonly directory: string; readonly root: string; readonly priceOf: PriceOf },
  io: CliIo,
): Promise<ReadonlyMap<BlockId, PastVisit>> {
  const blocks = new Map(
    workflow.graph.nodes.flatMap((node) => node.blocks.map((block) => [block.id as string, block])),
  );
  const assumed = new Map<BlockId, PastVisit>();
  const onPrompt = (prompt: ShownPrompt): void => {
    const block = blocks.get(prompt.block ?? '');
    if (block !== undefined && !assumed.has(block.id))
      assumed.set(block.id, assumedVisit(prompt, freeVisit(block), priceOf));
  };
  const script = {
    answers: new Map([['*', Array.from({ length: SUCCESSES }, () => ({ signal: SUCCESS }))]]),
    halts: [],
  };
  await showPrompts(
    workflow,
    { ...options, script },
    {
      directory,
      project: root,
      environment: io.env,
      onPrompt,
      keys: keyPlaces(io.env, io.keychain),
      warn: () => undefined,
    },
  );
  return assumed;
}

/** Adds the model to the gaps of blocks whose prompts are priced. */
const withModels = (
  { forecast, share }: ProjectForecast,
  assumed: ReadonlyMap<BlockId, PastVisit>,
): ProjectForecast => ({
  share,
  forecast: {
    ...forecast,
    gaps: forecast.gaps.flatMap((gap): readonly ForecastGap[] => {
      const visit = gap.what === 'no_past' ? assumed.get(gap.block) : undefined;
      if (visit === undefined || visit.model === null) return [gap];
      const own = { ...gap, model: visit.model };
      return visit.microUsd === null ? [own, { block: gap.block, what: 'no_price' }] : [own];
    }),
  },
});

function documentOf({ forecast, share: { runs, inside } }: ProjectForecast): RunForecast {
  const { ranges, completes, pastRuns, trials, gaps, ceiling } = forecast;
  const { microUsd, exceptAgents, ...others } = ceiling;
  return {
    ok: true,
    calls: ranges.calls,
    tokens: ranges.tokens,
    micro_usd: ranges.microUsd,
    ms: ranges.ms,
    completes,
    past_runs: pastRuns,
    simulated_runs: trials,
    unknown: gaps,
    ceiling: { ...others, micro_usd: microUsd, except_agents: exceptAgents },
    earlier: { runs, calls: inside.calls, tokens: inside.tokens, micro_usd: inside.microUsd, ms: inside.ms },
  };
}

interface OtherFlags {
  readonly forecast?: true;
  readonly showPrompt?: true;
  readonly detach?: true;
  readonly printPrompts?: true;
  readonly jsonl?: true;
}

/** Refuses flags of a run that starts, and the other flag that starts none. */
export function checkForecast({
  forecast,
  showPrompt: shows,
  detach: detaches,
  printPrompts,
  jsonl,
}: OtherFlags): void {
  if (forecast !== true) return;
  const [other] = [
    ...(shows === true ? ['--show-prompt'] : []),
    ...(detaches === true ? ['--detach'] : []),
    ...(printPrompts === true ? ['--print-prompts'] : []),
    ...(jsonl === true ? ['--jsonl'] : []),
  ];
  if (other !== undefined) throw usageError(`--forecast and ${other} can't be combined.`, ['robosmith run --help']);
}

/** Implements `run --forecast`: prints what a run would use, and starts nothing. */
export const printForecastOf = (
  start: string | undefined,
  options: ForecastFlags,
  directory: string,
  io: CliIo,
): Promise<number> =>
  atStart(start, options, { directory, io }, async ({ root, manifest, workflow, start: from }) => {
    const { graph } = workflow;
    const { priceOf } = await pricesToday(root, io.env);
    let made = forecastStart(root, graph, from, { priceOf });
    if (made.forecast.gaps.some(({ what }) => what === 'no_past')) {
      const startWith = await startOptions(from, options, manifest, graph, io, root);
      const assumed = await assumedVisits(workflow, startWith, { directory, root, priceOf }, io);
      made = withModels(forecastStart(root, graph, from, { priceOf, assumed }), assumed);
    }
    if (options.json === true) printJson(documentOf(made), io.stdout);
    else printForecast(made, io);
    return 0;
  });
