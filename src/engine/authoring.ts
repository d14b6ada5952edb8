/**
 * Functions that read and check manifests, keys and logs without starting a run. This module loads neither state
 * machines nor the process library.
 */
export {
  compareGraphs,
  compile,
  coverRows,
  describeItem,
  differenceLines,
  differencesMarkdown,
  exportWorkflow,
  formatManifest,
  type GraphDifference,
  groupDifferences,
  parseScript,
  reviewFiles,
  rowChange,
  type RowScript,
  summaryOf,
  TEMPLATES,
  tooMuchForMermaid,
  translateManifest,
} from '#compiler/index.ts';
export { findProgram, noCurrentFolder, searchEnvironment, withoutRelative } from '#io/process/find-program.ts';
export { findRoot } from '#io/project/find-root.ts';
export { mainWorktreeOf, worktreeTop } from '#io/project/linked-worktree.ts';
export { gitFoldersOf } from '#io/git/plumbing/git-folders.ts';
export { leadsOutOfProject } from '#io/project/leads-out.ts';
export { CALLS_WITHOUT_VISION } from '#io/project/call-log-folder.ts';
export { checkMayInit } from '#io/project/check-init.ts';
export { readSmallFile } from '#io/files/read-small-file.ts';
export { findManifest, manifestPath } from '#io/project/project.ts';
export { userRulesFile } from '#io/project/outbound-rules.ts';
export { detectCommands } from '#io/project/project-commands.ts';
export { dependencyNeeds, reasonsFor, worktreeSection } from '#io/project/dependency-settings.ts';
export { type LoadedManifest, type LoadOptions, loadManifest } from './manifest/load-manifest.ts';
export { writeManifest } from '#io/project/manifest-files.ts';
export { usesContext } from './run/read-slice.ts';
export { findServerProgram } from '#io/code-analysis/server-program.ts';
export { inputProblem } from './run/check-inputs.ts';
export { sandboxProblem } from './run/missing-sandbox.ts';
export { findSandboxMaker } from '#io/sandbox/probe.ts';
export { refusalResponse } from './run/refusal-response.ts';
export { mayBeSent } from './ai/may-be-sent.ts';
export { readRegistry } from './registry/read-registry.ts';
export { type AppliedFile, applyEdits, describeProblem, type LoomProblem } from './ai/apply-edits.ts';
export { type CallListing } from '#actors/call-log/index.ts';
export { calledName, type Grouping, GROUPINGS, sumCalls } from '#logic/calls/sum-calls.ts';
export { type CallComparison, type AnswerVerdict } from '#logic/calls/compare-calls.ts';
export { compareWords, type SideBySide } from '#logic/calls/compare-texts.ts';
export { repeatCall } from '#logic/calls/repeat-call.ts';
export { readRequestText, requestText } from '#logic/calls/request-text.ts';
export { compareLogged, verdictOf } from './ai/compare-logged.ts';
export { paidCalls, projectCall, projectCalls, projectCallsWith, spentByRun } from './ai/project-calls.ts';
export { forecastOf, forecastStart, freeVisit, type ProjectForecast } from './forecast/forecast-start.ts';
export { findWork, type WorkQuery, type WorkSearch } from './find/find-work.ts';
export { type ContextSavings, contextSavings } from './views/context-savings.ts';
export { questionOrder } from './ai/question-order.ts';
export { PRESETS as AGENT_PRESETS, failureLine } from '#workers/index.ts';
export { mayBeKeyless } from '#io/keys/key-book.ts';
export { addKey, checkNewKey, type NewKey, orderKeys, removeKey, setKeyDisabled } from './keys/edit-keys.ts';
export { keyPlaces } from './keys/load-keys.ts';
export { type KeyListing, type ListedKey, listKeys } from './keys/list-keys.ts';
export { pricesToday } from './keys/project-prices.ts';
export { notedTests, type TestedKey, testKeys } from './keys/test-keys.ts';
export { isWebhook, readNoticeSettings, sendNotice, writeNoticeSettings } from './notices.ts';
export { isTrusted, rememberTrust } from '#io/user/trust-store.ts';
export { type Executable, trustHash } from './trust/executable.ts';
export { changedVariables, runEnvironment } from './run/run-environment.ts';
export { writesNothing } from './run/writes-nothing.ts';
export { areTrusted, mayVerify } from './trust/check-trust.ts';
export { manifestFileOf } from './manifest/file-of-job.ts';
export { verifyingGraph, listVerifyingCommands } from './trust/list-verifying-commands.ts';
export { hasModules, setUpCommands, tearDownCommands, listExecutables } from './trust/list-executables.ts';
