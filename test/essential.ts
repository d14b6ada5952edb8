/**
 * The files, relative to `test/`, that `npm test` runs in addition to the unit tests; `npm run test:long` runs all
 * other files. A file belongs here if users lose work, money or trust when the tested behaviour breaks, or if it is the
 * one sample of its suite. `npm test` must take less than 6 minutes on two cores, so adding a slow file requires
 * removing another one.
 */
export const ESSENTIAL = [
  // Tests of the repository's own rules.
  'architecture/*.test.ts',
  'e2e/coverage.test.ts',

  // Files on disk: journal, event log, calls, locks, transactions.
  'integration/actors/{call-log,event-log,journal}/*.test.ts',
  'integration/actors/keys/shared-state.test.ts',
  'integration/engine/durable/*.test.ts',
  'integration/io/engine-lock/engine-lock.test.ts',
  'integration/io/files/*.test.ts',
  'integration/io/transactions/files.test.ts',
  'integration/io/{safe-path-corpus,safe-path-links}.test.ts',
  'integration/workers/writing/file-system-writer.test.ts',

  // Sessions: no outcome loses work. The slower tests of each outcome are in the list below.
  'integration/engine/sessions/session-api.test.ts',

  // Processes, keys, providers.
  'integration/cli/trust/trust.test.ts',
  'integration/engine/ai/bounded-retries.test.ts',
  'integration/io/process/*.test.ts',

  // Tests of the background host.
  'integration/cli/run/with-client.test.ts',
  'integration/host/{client/remote-run,taken-up-once,views}.test.ts',

  // The first steps of a user with the built command line.
  'e2e/cli/{demo,loaded,readme,root,running}.test.ts',

  // A sample of each of the long suites: crash, fuzz, model, replay and security.
  'crash/crash.test.ts',
  'fuzz/*.test.ts',
  'model/{key-pool,landing,queue,rules}.model.test.ts',
  'replay/replay.test.ts',
  'security/{model-answers,trust}.test.ts',
] as const;

/**
 * Slower files that `.ci/run` runs for every change, in addition to `npm test`, because users lose work if the tested
 * behaviour breaks. Of all other files, `.ci/run` runs one quarter, which changes from run to run. A file is in at most
 * one of the two lists.
 */
export const LANDING = [
  'docs/*.test.ts',
  'e2e/cli/{console,host,host-sessions,status}.test.ts',
  'e2e/package/package.test.ts',
  'integration/engine/ai/every-failure.test.ts',
  'integration/engine/sessions/landing/*.test.ts',
  'integration/io/git/outcomes/{discard,hold,merge}-session.test.ts',
  'integration/io/git/plumbing/snapshot.test.ts',
  'integration/io/write-transaction.test.ts',
  'integration/roberto-mcp/{clash-suite,protocol}.test.ts',
  'security/sandbox.test.ts',
] as const;
