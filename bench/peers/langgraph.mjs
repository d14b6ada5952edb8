import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

const [steps, rounds] = process.argv.slice(2).map(Number);
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
  .compile({ checkpointer: new MemorySaver() });

const samples = [];
for (let round = 0; round < rounds; round += 1) {
  const started = performance.now();
  const { count } = await graph.invoke(
    { count: 0 },
    { recursionLimit: steps * 2, configurable: { thread_id: `t${round}` } },
  );
  if (count !== steps) throw new Error(`${count} steps`);
  samples.push(((performance.now() - started) * 1000) / steps);
}
console.log(JSON.stringify(samples));
