import { keptStep, manyKeptRuns } from '../durable.ts';

const [steps = 0, runs = 0, rounds = 0] = process.argv.slice(2).map(Number);
const samples: number[] = [];
for (let round = 0; round < rounds; round += 1)
  samples.push(await (runs === 1 ? keptStep(steps) : manyKeptRuns(steps, runs)));
console.log(JSON.stringify(samples));
