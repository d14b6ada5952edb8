/** The library's door (spec/engine.md "The library"). */
export { compile, exportWorkflow, keyPlaces, loadManifest, parseScript } from '#engine/authoring.ts';
export {
  ApiPoolManager,
  executeAction,
  GitWorktreeManager,
  link,
  openEngine,
  Orchestrator,
  projectRuns,
  realPorts,
  replayStored,
  simulate,
  startRun,
  WorkflowService,
} from '#engine/index.ts';
export type { LoadedManifest } from '#engine/authoring.ts';
export type {
  ActionParams,
  ActionResult,
  Engine,
  Implementations,
  KeptRun,
  Linked,
  OpenedEngine,
  OrchestratorServices,
  PoolOrder,
  RunListing,
} from '#engine/index.ts';
export type { Compilation, CompiledWorkflow, MachineConfig, ManifestSource } from '#protocol/compiled.ts';
export type { Condition, ConditionFacts, Conditions } from '#protocol/condition.ts';
export type { AiReply } from '#protocol/ai-service.ts';
export type { Clock } from '#protocol/clock.ts';
export type { SecureStorageService } from '#protocol/secure-storage.ts';
export type { Diagnostic } from '#protocol/diagnostic.ts';
export { RoboSmithError } from '#protocol/error.ts';
export type { EventListener, RoboSmithEvent, RunFact } from '#protocol/event.ts';
export type { WorkflowManifest } from '#protocol/generated/manifest.gen.ts';
export type {
  Action,
  Graph,
  GraphBlock,
  GraphNode,
  SideEffects,
  Transition,
  WorkerDefinition,
} from '#protocol/graph.ts';
export type { BlockId, FramePath, HaltId, NodeId, RunId, Signal, StepKey } from '#protocol/id.ts';
export type { JsonObject, JsonValue } from '#protocol/json.ts';
export type { Exports, Payload, Segment, SegmentDraft } from '#protocol/payload.ts';
export type { Answer, Halt, PathEntry, Reason, Response, ResponseMetadata } from '#protocol/response.ts';
export type { AnswerOutcome, Run, RunOptions, RunPorts, Start } from '#protocol/run.ts';
export type { Script, ScriptEntry, ScriptedAnswer } from '#protocol/script.ts';
export type { Files, Processes, ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';
export type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
