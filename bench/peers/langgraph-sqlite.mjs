import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const [steps, runs, rounds] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'langgraph-'));
const saver = SqliteSaver.fromConnString(join(folder, 'checkpoints.db'));
saver.setup();
saver.db.pragma('synchronous=FULL');
const State = Annotation.Root({ count: Annotation({ reducer: (_, next) => next, default: () => 0 }) });
const step = async ({ count }) => ({ count: count + 1 });
const to = (next) => (state) => (state.count >= steps ? END : next);
const graph = new StateGraph(State)
  .addNode('A', step)
  .addNode('B', step)
  .addNode('C', step)
  .addEdge(START, 'A')
  .addConditionalEdges('A', to('B'))
  .addConditionalEdges('B', to('C'))
  .addConditionalEdges('C', to('A'))
  .compile({ checkpointer: saver });

const run = async (thread_id) => {
  const { count } = await graph.invoke({ count: 0 }, { recursionLimit: steps * 2, configurable: { thread_id } });
  if (count !== steps) throw new Error(`${count} steps`);
};

const samples = [];
for (let round = 0; round < rounds; round += 1) {
  const started = performance.now();
  await Promise.all(Array.from({ length: runs }, (_, index) => run(`${round}-${index}`)));
  samples.push(((performance.now() - started) * 1000) / (steps * runs));
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(samples));
