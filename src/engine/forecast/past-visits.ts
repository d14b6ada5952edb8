import { entriesInForce, isBlobRef, keyOf, type Place, readBlob, visitOf } from '#actors/journal/index.ts';
import { spentBy } from '#logic/calls/count-spending.ts';
import type { PastLookup, PastRun, PastVisit, RunUse } from '#protocol/forecast.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { isObject, type JsonObject } from '#protocol/json.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { StepResult } from '#protocol/run.ts';

/** A visit while its journal is read. */
interface OpenVisit {
  first: number | null;
  last: number;
  /** The sum of the executions' durations, for a visit in which a person was waited for. */
  executedMs: number;
  waited: boolean;
  calls: number;
  input: number;
  output: number;
  cached: number;
  microUsd: number | null;
  model: string | null;
  readonly lookups: PastLookup[];
  /** True: the next lookup is about a child that has failed. */
  calledChild: boolean;
}

const openVisit = (): OpenVisit => ({
  first: null,
  last: 0,
  executedMs: 0,
  waited: false,
  calls: 0,
  input: 0,
  output: 0,
  cached: 0,
  microUsd: 0,
  model: null,
  lookups: [],
  calledChild: false,
});

type Result = Extract<JournalEntry, { type: 'result' }>;

/** Returns what an execution returned; null if it is stored beside the journal and can't be read. */
function steppedOf(place: Place, { stepped }: Result): StepResult | null {
  if (!isBlobRef(stepped)) return stepped;
  try {
    return JSON.parse(readBlob(place, stepped)) as StepResult;
  } catch {
    return null;
  }
}

/** Returns the statistics of a result, or the details of a failure. */
function statsOf(stepped: StepResult): JsonObject {
  if (stepped.kind !== 'done') return {};
  return stepped.outcome.ok ? stepped.outcome.result.stats : stepped.outcome.failure.details;
}

function modelOf(stepped: StepResult): string | null {
  if (stepped.kind !== 'done' || !stepped.outcome.ok) return null;
  for (const { meta } of stepped.outcome.result.append) {
    const { provider, model } = meta ?? {};
    if (typeof provider === 'string' && typeof model === 'string') return `${provider}/${model}`;
  }
  return null;
}

const countIn = (object: JsonObject, key: string): number => {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};

/** Adds the usage of an execution. Its time is added by the caller. */
function addUsage(visit: OpenVisit, stepped: StepResult): void {
  const spent = spentBy(stepped);
  if (spent === null) return;
  const stats = statsOf(stepped);
  const used = isObject(stats['tokens_used']) ? stats['tokens_used'] : {};
  visit.calls += Math.max(1, countIn(stats, 'calls'));
  visit.input += isObject(stats['tokens_used']) ? countIn(used, 'input') : spent.tokens;
  visit.output += countIn(used, 'output');
  visit.cached += countIn(used, 'cached');
  visit.microUsd = spent.microUsd === null || visit.microUsd === null ? null : visit.microUsd + spent.microUsd;
  visit.model = modelOf(stepped) ?? visit.model;
}

/** Adds a lookup. The one after a CALL or FORK follows from the child's failure, not from the block's past. */
function addLookup(visit: OpenVisit, { signal, action }: PathEntry): void {
  if (signal === null && action === null) return;
  const calls = action?.startsWith('CALL:') === true || action?.startsWith('FORK:') === true;
  if (!visit.calledChild) visit.lookups.push({ signal, action });
  visit.calledChild = calls;
}

/** Adds the answer to a halt of the block's own row that leads elsewhere: it has no lookup. */
function addAnswer(visit: OpenVisit, { answer }: Extract<JournalEntry, { type: 'answer' }>): void {
  if (visit.lookups.at(-1)?.action !== 'HALT_AND_FLAG') return;
  if (answer.verb === 'next') visit.lookups.push({ signal: null, action: 'NEXT' });
  if (answer.verb === 'jump') visit.lookups.push({ signal: null, action: `JUMP:${answer.block}` });
}

const msOf = ({ first, last, waited, executedMs }: OpenVisit): number =>
  waited || first === null ? executedMs : Math.max(0, last - first);

const blockOf = (key: LocalKey): BlockId => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#')) as BlockId;

function pastVisit(key: LocalKey, visit: OpenVisit): PastVisit {
  const { calls, input, output, cached, microUsd, model, lookups } = visit;
  return {
    block: blockOf(key),
    visit: Number(key.slice(key.lastIndexOf('#') + 1)),
    ms: msOf(visit),
    calls,
    input,
    output,
    cached,
    microUsd,
    model,
    lookups,
  };
}

/** Returns the time in which at least one of these periods was in progress. */
function covered(periods: readonly (readonly [from: number, until: number])[]): number {
  let [sum, end] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, until] of periods.toSorted(([one], [other]) => one - other)) {
    sum += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return sum;
}

/** What a journal tells about a run. */
export type ReadUse = Pick<PastRun, 'use' | 'visits'>;

/** Reads the finished visits of a run, and what the run has used, from the entries of its journal. */
export function readVisits(place: Place, entries: readonly JournalEntry[]): ReadUse {
  const visits = new Map<LocalKey, OpenVisit>();
  const begun = new Map<string, number>();
  const executions: [number, number][] = [];
  const cutOff: RunUse[] = [];
  const visitFor = (key: LocalKey): OpenVisit => {
    const known = visits.get(key) ?? openVisit();
    visits.set(key, known);
    return known;
  };
  for (const entry of entriesInForce(entries))
    switch (entry.type) {
      case 'intent': {
        visitFor(visitOf(entry.key)).first ??= entry.at;
        begun.set(`${entry.key} ${String(entry.attempt)}`, entry.at);
        break;
      }
      case 'halt':
        visitFor(visitOf(entry.key)).waited = true;
        break;
      case 'answer':
        addAnswer(visitFor(visitOf(entry.key)), entry);
        break;
      case 'result': {
        const visit = visitFor(visitOf(entry.key));
        const stepped = steppedOf(place, entry);
        const from = begun.get(`${entry.key} ${String(entry.attempt)}`) ?? entry.at;
        visit.last = Math.max(visit.last, entry.at);
        visit.executedMs += entry.at - from;
        executions.push([from, entry.at]);
        if (stepped !== null) addUsage(visit, stepped);
        break;
      }
      case 'path':
        addLookup(visitFor(keyOf(entry.entry)), entry.entry);
        break;
      case 'spent':
        cutOff.push({ calls: 1, tokens: entry.spent.tokens, microUsd: entry.spent.microUsd ?? 0, ms: 0 });
        break;
      default:
    }
  return {
    use: sumOf([...visits.values()], executions, cutOff),
    visits: [...visits].flatMap(([key, visit]) => (visit.lookups.length === 0 ? [] : [pastVisit(key, visit)])),
  };
}

/** Sums what all visits of a run have used, also those that were cut off. */
function sumOf(
  visits: readonly OpenVisit[],
  executions: readonly (readonly [number, number])[],
  cutOff: readonly RunUse[],
): RunUse {
  const periods = visits.flatMap(({ first, last, waited }) =>
    waited || first === null || last === 0 ? [] : [[first, last] as const],
  );
  const sum = cutOff.reduce<RunUse>(
    (all, one) => ({
      ...all,
      calls: all.calls + one.calls,
      tokens: all.tokens + one.tokens,
      microUsd: all.microUsd + one.microUsd,
    }),
    { calls: 0, tokens: 0, microUsd: 0, ms: covered([...executions, ...periods]) },
  );
  return visits.reduce<RunUse>(
    (all, { calls, input, output, microUsd }) => ({
      ...all,
      calls: all.calls + calls,
      tokens: all.tokens + input + output,
      microUsd: all.microUsd + (microUsd ?? 0),
    }),
    sum,
  );
}
