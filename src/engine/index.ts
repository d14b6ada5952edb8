/** The engine's door to runs. */
export { allowedAnswers } from '#actors/run/index.ts';
export { realPorts } from './ports.ts';
export { simulate } from './simulate.ts';
export { startRun } from './start-run.ts';
export { type ActionParams, type ActionResult, executeAction } from './facades/execute-action.ts';
export { link, type Implementations, type Linked } from './facades/link.ts';
export { Orchestrator, type OrchestratorServices } from './facades/orchestrator.ts';
export { WorkflowService } from './facades/workflow-service.ts';
