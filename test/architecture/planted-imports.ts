/** A forbidden import, the folder in which it is planted, and the rule that must report it. */
export interface PlantedImport {
  readonly rule: string;
  /** The folder of the import; the file's name is generated. */
  readonly at: string;
  readonly code: string;
  /** Other files that the violation needs, by path relative to the folder. */
  readonly beside?: Readonly<Record<string, string>>;
}

const plant = (
  rule: string,
  at: string,
  code: string,
  beside: Readonly<Record<string, string>> = {},
): PlantedImport => ({
  rule,
  at,
  code,
  beside,
});

export const PLANTED_IMPORTS: readonly PlantedImport[] = [
  // A folder imports another one that its layer rule does not allow.
  plant('layer-protocol', 'src/protocol', `import '#machines/run/chart.ts';`),
  plant('layer-protocol', 'src/protocol', `import type { verb } from '#machines/run/chart.ts';`),
  plant('layer-protocol', 'src/protocol', `import '../../schemas/workflow.schema.json';`),
  plant('layer-logic', 'src/logic/keys', `import '#machines/run/chart.ts';`),
  plant('layer-machines', 'src/machines/run', `import '#compiler/index.ts';`),
  plant('layer-machines', 'src/machines/run', `export const files = () => import('#io/transactions/files.ts');`),
  plant('layer-compiler', 'src/compiler/3-check', `import '#io/transactions/files.ts';`),
  plant('layer-compiler', 'src/compiler/3-check', `import type {} from '#engine/index.ts';`),
  plant('layer-io', 'src/io', `import '#machines/run/chart.ts';`),
  plant('layer-workers', 'src/workers', `import '#io/transactions/files.ts';`),
  plant('layer-workers', 'src/workers', `import type { verb } from '#machines/run/chart.ts';`),
  plant('layer-actors', 'src/actors/run', `import '#workers/commands/command.ts';`),
  plant('layer-actors', 'src/actors/run', `import '#engine/index.ts';`),
  plant('layer-clash', 'src/clash', `import '#engine/index.ts';`),
  plant('layer-engine', 'src/engine', `import '#cli/main.ts';`),
  plant('layer-engine', 'src/engine', `import type {} from '#host/client/index.ts';`),
  plant('layer-host-wire', 'src/host/wire', `import '#engine/index.ts';`),
  plant('layer-host-wire', 'src/host/wire', `import '../server/serve.ts';`),
  plant('layer-host-client', 'src/host/client', `import '#engine/index.ts';`),
  plant('layer-host-client', 'src/host/client', `import type {} from '../server/index.ts';`),
  plant('layer-host-server', 'src/host/server', `import '#actors/run/index.ts';`),
  plant('layer-language', 'src/language', `import '#engine/index.ts';`),
  plant('layer-layout', 'src/layout', `import '#io/transactions/files.ts';`),
  plant('layer-host-layout', 'src/host/layout', `import '#engine/index.ts';`),
  plant('layer-host-layout', 'src/host/layout', `import '../wire/frame.ts';`),
  plant('layer-host-client', 'src/host/client', `import '../layout/index.ts';`),
  plant('layer-host-inspector', 'src/host/inspector', `import '#engine/index.ts';`),
  plant('layer-cli', 'src/cli', `import '#compiler/index.ts';`),
  plant('layer-cli', 'src/cli', `import '#io/transactions/files.ts';`),
  plant('layer-extension', 'src/extension', `import '#engine/index.ts';`),
  plant('layer-roberto-mcp', 'src/roberto-mcp', `import '#io/transactions/files.ts';`),

  // A folder imports a package that is not on its list.
  plant('npm-protocol', 'src/protocol', `import type { Actor } from 'xstate';`),
  plant('npm-logic', 'src/logic/keys', `import 'xstate';`),
  plant('npm-machines', 'src/machines/run', `import 'ajv';`),
  plant('npm-compiler', 'src/compiler/1-parse', `import 'execa';`),
  plant('npm-workers', 'src/workers', `import 'execa';`),
  plant('npm-actors', 'src/actors/run', `export const load = () => import('execa');`),
  plant('npm-engine', 'src/engine', `import 'commander';`),
  plant('npm-host', 'src/host/server', `import 'commander';`),

  // A phase of the compiler imports a later one.
  plant('compiler-phase-1-looks-back-only', 'src/compiler/1-parse', `import '../2-resolve/resolve.ts';`),
  plant('compiler-phase-2-looks-back-only', 'src/compiler/2-resolve', `import type {} from '../4-emit/emit.ts';`),
  plant(
    'compiler-phase-3-looks-back-only',
    'src/compiler/3-check',
    `export const e = () => import('../4-emit/emit.ts');`,
  ),
  plant('compiler-phase-4-looks-back-only', 'src/compiler/4-emit', `import '../index.ts';`),

  // A pure folder imports a module of Node, or a folder other than `io` imports a module that does I/O.
  plant('pure-folders-touch-no-node', 'src/protocol', `import 'node:path';`),
  plant('pure-folders-touch-no-node', 'src/machines/run', `import 'timers';`),
  plant('pure-folders-touch-no-node', 'src/machines/run', `export type Stats = import('node:fs').Stats;`),
  plant('pure-folders-touch-no-node', 'src/compiler/1-parse', `import { join } from 'path';`),
  plant('pure-folders-touch-no-node', 'src/workers', `export const hash = () => import('node:crypto');`),
  plant('pure-folders-touch-no-node', 'src/language', `import 'node:path';`),
  plant('pure-folders-touch-no-node', 'src/layout', `import 'node:path';`),
  plant('only-io-touches-the-world', 'src/actors/run', `import { readFile } from 'node:fs/promises';`),
  plant('only-io-touches-the-world', 'src/actors/session', `import 'net';`),
  plant('only-io-touches-the-world', 'src/engine', `export const spawn = () => import('node:child_process');`),
  plant('only-io-touches-the-world', 'src/engine', `import { cpus } from 'node:os';`),
  plant('only-io-touches-the-world', 'src/engine', `import 'node:sqlite';`),

  // An import bypasses the module that is intended for it.
  plant('actors-talk-by-events', 'src/actors/run', `import '#actors/session/index.ts';`),
  plant('actors-talk-by-events', 'src/actors/session', `import type {} from '../run/run.actor.ts';`),
  plant('front-ends-do-not-mix', 'src/cli', `import '../extension/extension.ts';`),
  plant('front-ends-do-not-mix', 'src/extension', `import '#cli/main.ts';`),
  plant('extension-holds-the-host-client', 'src/extension', `import '#host/server/index.ts';`),
  plant('extension-holds-the-host-client', 'src/extension', `import type {} from '#host/client/client.ts';`),
  plant('doors', 'src/engine', `import '#compiler/1-parse/parse.ts';`),
  plant('doors', 'src/engine', `import '#actors/run/run.actor.ts';`),
  plant('doors', 'src/cli', `import '#engine/services.ts';`),
  plant('doors', 'src/cli', `import '#host/client/client.ts';`),
  plant('doors', 'src/cli', `import '#host/layout/thread.ts';`),
  plant('doors', 'src/host/layout', `import '#layout/lane/place.ts';`),
  plant('doors', 'src/host/server', `export const s = () => import('#engine/services.ts');`),
  plant('cross-folder-imports-use-hash', 'src/machines/run', `import type { Verb } from '../../protocol/noun.ts';`),
  plant('bin-is-a-shim', 'bin', `import '../src/engine/index.ts';`),
  plant('bin-is-a-shim', 'bin', `import 'commander';`),

  // A folder imports something that only another folder may import.
  plant('only-extension-knows-vscode', 'src/host/client', `import 'vscode';`),
  plant('only-extension-knows-vscode', 'src/engine', `import type { Uri } from 'vscode';`),
  plant('only-extension-knows-vscode', 'src/protocol', `export type Uri = import('vscode').Uri;`),
  plant('only-extension-knows-vscode', 'test/support', `import type { Uri } from 'vscode';`),
  plant('webview-sees-protocol-only', 'webview-ui/src', `import '#engine/index.ts';`),
  plant('webview-sees-protocol-only', 'webview-ui/src', `import type { verb } from '#machines/run/chart.ts';`),
  plant('webview-has-no-node', 'webview-ui/src', `import 'node:path';`),
  plant('production-never-imports-tests', 'src/io', `import '../../test/support/fake.ts';`),
  plant('production-never-imports-tests', 'scripts', `import '../test/support/fake.ts';`),
  plant('e2e-uses-the-front-doors', 'test/e2e', `import '#engine/index.ts';`),
  plant('e2e-uses-the-front-doors', 'test/e2e', `export const main = () => import('#cli/main.ts');`),
  plant('e2e-uses-the-front-doors', 'demo', `import type {} from '#engine/index.ts';`),

  // Cycles and other violations in the graph as a whole.
  plant('no-circular', 'src/io', `import './round.ts'; export {};`, { 'round.ts': `import '{planted}';` }),
  plant('no-circular', 'src/protocol', `import type { A } from './about.ts'; export type B = A;`, {
    'about.ts': `import type { B } from '{planted}'; export type A = B;`,
  }),
  plant('no-circle-of-folders', 'src/io/git', `import '../clock/round.ts'; export {};`, {
    '../clock/round.ts': `import '../git/back.ts';`,
    'back.ts': `import 'node:fs';`,
  }),
  plant('no-circle-of-folders', 'webview-ui/src/graph', `import '../look/round.ts'; export {};`, {
    '../look/round.ts': `import '../graph/back.ts';`,
    'back.ts': `export type { Verb } from '#protocol/noun.ts';`,
  }),
  plant('no-import-from-above', 'src/io/git', `import '../above.ts';`, { '../above.ts': `import 'node:fs';` }),
  plant('no-import-from-above', 'webview-ui/src/graph', `import type {} from '../main.ts';`),
  plant('no-import-from-above', 'src/io/git/refs', `import '../../above.ts';`, {
    '../../above.ts': `import 'node:fs';`,
  }),
  plant('no-import-from-above', 'src/io/git/refs/names', `import '../../../above.ts';`, {
    '../../../above.ts': `import 'node:fs';`,
  }),
  plant('npm-language', 'src/language', `import 'ajv';`),
  plant('npm-layout', 'src/layout', `import 'ajv';`),
  plant('no-orphans', 'src/workers', `export const alone = true;`),
  plant('not-to-unresolvable', 'src/cli', `import './nowhere.ts';`),
  plant('not-to-unresolvable', 'src/io', `import 'no-such-package';`),
  plant('not-to-dev-dependency', 'src/cli', `import 'esbuild';`),
  plant('not-to-dev-dependency', 'src/io', `export const fc = () => import('fast-check');`),
];
