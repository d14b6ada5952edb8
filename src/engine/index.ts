/** The public interface of the engine. */
export { allowedAnswers, offeredAnswers } from '#actors/run/index.ts';
export { answerCommands, REASON } from './run/answer-commands.ts';
export { closedHaltText } from './durable/closed-halts.ts';
export { dueRuns } from './durable/due.ts';
export type { Engine } from './open/engine.ts';
export { noSuchStep } from './durable/fork-run.ts';
export { openEngine } from './open/open-engine.ts';
export type { PruneResult, PruneRules } from '#protocol/prune.ts';
export {
  findRuns,
  hasPrunableRuns,
  lastEventOf,
  projectRuns,
  prunePlan,
  replayStored,
  runDetails,
  type RunDetails,
  runEvents,
} from './durable/project.ts';
export { retentionOf } from './manifest/retention.ts';
export { engineOwner, isElsewhere } from '#io/engine-lock/engine-owner.ts';
export { type RunListing } from '#protocol/run-summary.ts';
export { fetchBranch, projectThread } from './forge/project-thread.ts';
export { knownRedactor } from './keys/known-secrets.ts';
export { keyEnvironment } from '#io/keys/environment-keys.ts';
export { type KeptRun } from './durable/begin-run.ts';
export { type RanSlice, runSlice } from './code-analysis/run-slice.ts';
export { serveCodeAnalysis } from './code-analysis/serve-code-analysis.ts';
export { contextSavings } from './views/context-savings.ts';
export { realPorts } from './run/ports.ts';
export { type ShownPrompts, showPrompts } from './ai/show-prompts.ts';
export { type CleaningItem } from './sessions/recovery/plan-recovery.ts';
export { createNotifier, type Notifier } from './notices.ts';
export { projectInbox } from './sessions/views/project-inbox.ts';
export {
  checkMayResume,
  projectSessions,
  sessionHistory,
  storedSessionOf,
  storedSessions,
} from './sessions/views/list-sessions.ts';
export { type DiskUse, projectDisk } from './sessions/views/project-disk.ts';
export { type ProjectStatus, projectStatus } from './sessions/views/project-status.ts';
export { leftOutOfWorktrees, projectWorktrees, unsavedWork, withSizes } from './sessions/views/project-worktrees.ts';
export { watchProject } from './sessions/watching/watch-project.ts';
export { type Sessions } from './sessions/open-sessions.ts';
export type { SessionMove } from '#actors/session/index.ts';
export { simulate } from './run/simulate.ts';
export { nextTurn } from '#io/clock/turn-budget.ts';
export { startRun } from './run/start-run.ts';
export { GitWorktreeManager } from './facades/git-worktree-manager.ts';
export { ApiPoolManager, type PoolOrder } from './facades/api-pool-manager.ts';
export { type ActionParams, type ActionResult, executeAction } from './facades/execute-action.ts';
export { type ExportedConfigs, type Implementations, link, type LinkableConfigs, type Linked } from './facades/link.ts';
export type { LibraryResumeOptions, LibraryRunOptions, OwnCode } from './facades/library-options.ts';
export {
  compile as compileForLibrary,
  simulate as simulateForLibrary,
  startRun as startRunForLibrary,
  WorkflowService,
} from './facades/library-runs.ts';
export { type LibraryEngine, type OpenedLibraryEngine, openLibraryEngine } from './facades/open-library-engine.ts';
export { Orchestrator, type OrchestratorServices } from './facades/orchestrator.ts';
export {
  loadRegistry,
  type Registry,
  registryGaps,
  registryWorkers,
  usedWorkers,
  workersFor,
} from './registry/index.ts';
export { trustedCheck } from './trust/trusted-check.ts';
export { foreignBranch, rememberCommit } from './trust/attached-branch.ts';
export { mayRetryTask, projectTasks } from './plan/task-keeper.ts';
export { type ListedTasks, loadManifestCommands, type TaskListing } from './plan/list-tasks.ts';
export { taskWorkflow } from './plan/task-workflow.ts';
export { newPicture, type RunPicture } from '#logic/picture/run-picture.ts';
export { partsOf, pastOf, takeChanges, type TakenChanges, totalsOf } from '#logic/picture/read-picture.ts';
export { takeEvent } from '#logic/picture/take-event.ts';
export { viewGraph } from '#logic/picture/view-graph.ts';
export { blockContext, callText } from './views/block-context.ts';
export { blockFacts } from './views/block-facts.ts';
export { type Drafts, openDrafts } from './views/drafts.ts';
export { lastAnswer } from './views/last-answer.ts';
export { commitsBehind, filesInRange, sessionFiles, sessionRange, symbolLineBetween } from './views/changed-files.ts';
export { fileDifference } from './views/file-difference.ts';
export { changedVisits, fileIn, visitChanges, visitDifference, visitSymbolLine } from './views/visit-changes.ts';
export { coalesced } from './sessions/model/concurrency.ts';
export { type RunVisit } from './views/visit-spans.ts';
export { prefixOf, type SessionDiff, sessionDiff, uncommittedDiff } from './changes/session-diff.ts';
export { conversationOf, turnText } from './views/conversation.ts';
export { haltViews } from './views/halt-view.ts';
export { manifestView, type ManifestView } from './views/manifest-view.ts';
export { readRunPicture, type StoredPicture } from './views/read-run-picture.ts';
export { runExecutions } from './views/run-executions.ts';
