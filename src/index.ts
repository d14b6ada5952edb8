/** The public API of the library. Functions passed to it run in the caller's thread. */
export { exportWorkflow, keyPlaces, type LoadedManifest, loadManifest, parseScript } from '#engine/authoring.ts';
export {
  type ActionParams,
  type ActionResult,
  ApiPoolManager,
  compileForLibrary as compile,
  executeAction,
  type ExportedConfigs,
  GitWorktreeManager,
  type Implementations,
  type KeptRun,
  type LibraryEngine as Engine,
  type LibraryResumeOptions as ResumeOptions,
  type LibraryRunOptions as RunOptions,
  link,
  type LinkableConfigs,
  type Linked,
  type OpenedLibraryEngine as OpenedEngine,
  openLibraryEngine as openEngine,
  Orchestrator,
  type OrchestratorServices,
  type OwnCode,
  type PoolOrder,
  projectRuns,
  realPorts,
  replayStored,
  type RunListing,
  simulateForLibrary as simulate,
  startRunForLibrary as startRun,
  WorkflowService,
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
export type { Exports, Payload, Returned, Segment, SegmentDraft } from '#protocol/payload.ts';
export type { Answer, Halt, PathEntry, Reason, Response, ResponseMetadata } from '#protocol/response.ts';
export type { AnswerOutcome, Run, RunPorts, Start } from '#protocol/run.ts';
export type { Script, ScriptEntry, ScriptedAnswer } from '#protocol/script.ts';
export type { Files, Processes, ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';
export type { BlockMemory, Completion, Worker, WorkerResult } from '#protocol/worker.ts';
