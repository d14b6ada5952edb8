import { wholeStep } from '../steps.ts';

const [steps = 0, rounds = 0] = process.argv.slice(2).map(Number);
const samples: number[] = [];
for (let round = 0; round < rounds; round += 1) samples.push(await wholeStep(steps));
console.log(JSON.stringify(samples));
