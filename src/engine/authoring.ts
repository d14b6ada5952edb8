/**
 * Functions that read and check manifests, keys and logs without starting a run. This module loads neither state
 * machines nor the process library.
 */
export {
  compareGraphs,
  describeItem,
  differenceLines,
  differencesMarkdown,
  exportWorkflow,
  formatManifest,
  groupDifferences,
  parseScript,
  reviewFiles,
  rowChange,
  summaryOf,
  TEMPLATES,
  tooMuchForMermaid,
} from '#compiler/index.ts';
export { findProgram, noCurrentFolder, searchEnvironment, withoutRelative } from '#io/process/find-program.ts';
export { findRoot } from '#io/project/find-root.ts';
export { worktreeTop } from '#io/project/linked-worktree.ts';
export { leadsOutOfProject } from '#io/project/leads-out.ts';
export { checkMayInit } from '#io/project/check-init.ts';
export { readSmallFile } from '#io/files/read-small-file.ts';
export { findManifest, manifestPath } from '#io/project/project.ts';
export { userRulesFile } from '#io/project/outbound-rules.ts';
export { detectCommands } from '#io/project/project-commands.ts';
export { dependencyNeeds, worktreeSection } from '#io/project/dependency-settings.ts';
export { type LoadedManifest, loadManifest } from './manifest/load-manifest.ts';
export { writeManifest } from '#io/project/write-manifest.ts';
export { inputProblem } from './run/check-inputs.ts';
export { refusalResponse } from './run/refusal-response.ts';
export { mayBeSent } from './ai/may-be-sent.ts';
export { readRegistry } from './registry/read-registry.ts';
export { type AppliedFile, applyEdits, describeProblem, type LoomProblem } from './ai/apply-edits.ts';
export { type CallListing } from '#actors/call-log/index.ts';
export { calledName } from '#machines/calls/called-name.ts';
export { type CallComparison, type Verdict } from '#machines/calls/compare-calls.ts';
export { compareWords, type SideBySide } from '#machines/calls/compare-texts.ts';
export { repeatCall, type RequestChanges } from '#machines/calls/repeat-call.ts';
export { readRequestText, requestText } from '#machines/calls/request-text.ts';
export { compareLogged, verdictOf } from './ai/compare-logged.ts';
export { type Grouping, GROUPINGS, sumCalls } from '#machines/calls/sum-calls.ts';
export { projectCall, projectCalls, projectCallsWith } from './ai/project-calls.ts';
export { type ContextSavings, contextSavings } from './views/context-savings.ts';
export { questionOrder } from './ai/question-order.ts';
export { PRESETS as AGENT_PRESETS } from '#workers/index.ts';
export { mayBeKeyless } from '#io/user/key-book.ts';
export { addKey, checkNewKey, type NewKey, orderKeys, removeKey, setKeyDisabled } from './keys/edit-keys.ts';
export { keyPlaces } from './keys/key-places.ts';
export { type KeyListing, type ListedKey, listKeys } from './keys/list-keys.ts';
export { pricesToday } from './keys/project-prices.ts';
export { type TestedKey, testKeys } from './keys/test-keys.ts';
export { isWebhook, readNoticeSettings, sendNotice, writeNoticeSettings } from './notices.ts';
export { isTrusted, rememberTrust } from '#io/user/trust-store.ts';
export { type Executable, trustHash } from './trust/executable.ts';
export { writesNothing } from './run/writes-nothing.ts';
export { mayRun, mayVerify } from './trust/check-trust.ts';
export { manifestFileOf } from './manifest/file-of-job.ts';
export { verifyingGraph, listVerifyingCommands } from './trust/list-verifying-commands.ts';
export { hasModules, setUpCommands, listExecutables } from './trust/list-executables.ts';
