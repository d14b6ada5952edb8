export { loadRegistry, type Registry } from './load-registry.ts';
export { registryGaps } from './registry-gaps.ts';
export { registryWorkers, usedWorkers } from './used-workers.ts';
export { workersFor } from './workers-for.ts';
