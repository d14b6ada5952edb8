import { expect, test } from 'vitest';
import { compile, parseScript, workflowOf } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { type Counterexample, pathText } from '#protocol/rule-verdict.ts';
import { proveRules } from '#compiler/rules/prove.ts';
import { seed, seededRandom } from '../support/seeded-random.ts';
import { explore } from './rules/explore.ts';
import { randomManifest, randomScript } from './rules/random-workflow.ts';
import { breaks } from './rules/watch-path.ts';

const graphs = Number(process.env['ROBOSMITH_RULE_GRAPHS'] ?? 150);
const runs = Number(process.env['ROBOSMITH_RULE_RUNS'] ?? 1_000);

/** The depth of calls that the naive exploration reaches, and the configurations that it gives up after. */
const [DEPTH, MOST] = [3, 6_000] as const;

/** Returns the graph of a manifest, also if its rule is broken. */
function graphOf(manifest: object): Graph {
  const { rules, ...others } = manifest as { readonly rules: readonly object[] };
  const compiled = compile([{ path: 'workflows.json', text: JSON.stringify({ ...others, rules }) }]);
  const without = compile([{ path: 'workflows.json', text: JSON.stringify(others) }]);
  const [judged] = compiled.rules;
  if (without.workflow === null || judged === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
  return { ...without.workflow.graph, rules: [judged.rule] };
}

async function play(graph: Graph, script: JsonObject): Promise<Response> {
  const { value, diagnostics } = parseScript({ path: 'script.json', text: JSON.stringify(script) }, graph);
  if (value === null) throw new Error(JSON.stringify(diagnostics));
  return simulate(workflowOf(graph), { start: { node: graph.entry as NodeId }, script: value });
}

/** Expects that a simulation with the script of a counterexample takes its steps. */
async function replay(graph: Graph, path: Counterexample, script: JsonObject, about: string): Promise<Response> {
  const response = await play(graph, script);
  const entries = response.path.filter(({ signal, action }) => signal !== null || action !== null);
  // A path can stop while a block executes.
  const { steps } = path;
  const taken = entries.slice(0, steps.length).map(({ block, frame, signal, action }, index) => {
    const isOpen = steps[index]?.signal === null && steps[index].action === null;
    return isOpen ? [block, frame, null, null] : [block, frame, signal, action];
  });
  expect(taken, about).toEqual(steps.map(({ block, frame, signal, action }) => [block, frame, signal, action]));
  return response;
}

test(
  `rules are decided as a naive exploration decides them, and counterexamples run (${graphs} graphs, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async () => {
    const seen = { proved: 0, unused: 0, broken: 0, replayed: 0, undecided: 0 };
    for (let index = 0; index < graphs; index += 1) {
      const random = seededRandom(seed + index);
      const { manifest } = randomManifest(random);
      const graph = graphOf(manifest);
      const about = `ROBOSMITH_SEED=${seed} + ${index}: ${JSON.stringify(manifest)}`;
      const [judged] = proveRules(graph);
      if (judged === undefined || judged.verdict.kind === 'unproved') throw new Error(about);
      const { rule, verdict } = judged;
      seen[verdict.kind] += 1;
      const naive = explore(graph, rule, DEPTH, MOST);
      if (naive === null) seen.undecided += 1;
      if (naive === true) expect(verdict.kind, about).toBe('broken');
      if (verdict.kind !== 'broken') continue;
      const { path } = verdict;
      const isShallow = path.steps.every(({ depth }) => depth < DEPTH);
      if (naive === false && isShallow) expect.unreachable(`${about}\n${pathText(path)}`);
      if (path.script === null) continue;
      const response = await replay(graph, path, path.script, `${about}\n${pathText(path)}`);
      expect(breaks(rule, graph, response), `${about}\n${pathText(path)}`).toBe(true);
      seen.replayed += 1;
    }
    console.log(`ROBOSMITH_SEED=${seed}`, seen);
    expect(Math.min(seen.proved, seen.replayed)).toBeGreaterThan(graphs / 40);
  },
);

test(`random runs break no proved rule (${runs} runs, ROBOSMITH_SEED=${seed})`, { timeout: 0 }, async () => {
  let left = runs;
  for (let index = 0; left > 0; index += 1) {
    const random = seededRandom(seed - index - 1);
    const { manifest } = randomManifest(random);
    const graph = graphOf(manifest);
    const [judged] = proveRules(graph);
    if (judged === undefined || (judged.verdict.kind !== 'proved' && judged.verdict.kind !== 'unused')) continue;
    const blocks = graph.nodes.flatMap((node) => node.blocks);
    for (let round = 0; round < 10 && left > 0; round += 1, left -= 1) {
      const script = randomScript(random, blocks, !judged.rule.personMayBypass);
      const response = await play(graph, script as JsonObject);
      const about = `ROBOSMITH_SEED=${seed} - ${index + 1}: ${JSON.stringify({ manifest, script })}`;
      expect(breaks(judged.rule, graph, response), about).toBe(false);
    }
  }
});
