import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './cruise.ts';

/** The files of a minimal tree that has every folder of the layout and violates no rule. */
const FILES: Readonly<Record<string, string>> = {
  'src/protocol/noun.ts': `export type { Verb } from './verb.ts';`,
  'src/protocol/verb.ts': `export type Verb = 'go';`,
  'src/machines/run/chart.ts': `import { setup } from 'xstate'; import type { Verb } from '#protocol/noun.ts'; export const verb: Verb = 'go'; export { setup };`,
  'src/compiler/index.ts': `export * from './1-parse/parse.ts'; export * from './2-resolve/resolve.ts'; export * from './3-check/check.ts'; export * from './4-emit/emit.ts';`,
  'src/compiler/1-parse/parse.ts': `export { parse } from 'jsonc-parser';`,
  'src/compiler/2-resolve/resolve.ts': `export type { parse } from '../1-parse/parse.ts';`,
  'src/compiler/3-check/check.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'src/compiler/4-emit/emit.ts': `export { verb } from '#machines/run/chart.ts';`,
  'src/io/transactions/files.ts': `import 'node:fs'; import 'execa'; export type { Verb } from '#protocol/noun.ts';`,
  'src/workers/commands/command.ts': `import 'jsonc-parser'; export type { Verb } from '#protocol/noun.ts';`,
  'src/actors/run/index.ts': `export * from './run.actor.ts';`,
  'src/actors/run/run.actor.ts': `export { verb } from '#machines/run/chart.ts'; import '#io/transactions/files.ts';`,
  'src/actors/session/index.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'src/engine/index.ts': `export * from './services.ts'; import '#compiler/index.ts'; import '#workers/commands/command.ts';`,
  'src/engine/services.ts': `import '#actors/run/index.ts'; import '#actors/session/index.ts';`,
  'src/language/index.ts': `import 'jsonc-parser'; import '#compiler/index.ts'; export type { Verb } from '#protocol/noun.ts';`,
  'src/layout/index.ts': `export * from './lane/place.ts'; import 'elkjs';`,
  'src/layout/lane/place.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'src/host/layout/index.ts': `export * from './thread.ts';`,
  'src/host/layout/thread.ts': `import 'node:worker_threads'; import '#layout/index.ts';`,
  'src/host/wire/frame.ts': `import '#io/transactions/files.ts'; export type { Verb } from '#protocol/noun.ts';`,
  'src/host/client/index.ts': `export * from './client.ts';`,
  'src/host/client/client.ts': `import 'node:net'; import '../wire/frame.ts';`,
  'src/host/server/index.ts': `export * from './serve.ts';`,
  'src/host/server/serve.ts': `import 'node:net'; import '../wire/frame.ts'; import '#engine/index.ts';`,
  'src/cli/main.ts': `import 'commander'; import '#engine/index.ts'; import '#host/client/index.ts'; import '#host/server/index.ts'; import '#host/layout/index.ts'; import '#layout/index.ts'; import 'node:process';`,
  'src/extension/extension.ts': `import 'vscode'; import '#host/client/index.ts'; import '#language/index.ts';`,
  'src/roberto-mcp/main.ts': `import 'node:fs';`,
  'src/index.ts': `export * from '#engine/index.ts'; export * from '#compiler/index.ts'; export type * from '#protocol/noun.ts';`,
  'bin/robosmith.js': `import '../src/cli/main.ts';`,
  'webview-ui/src/main.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'schemas/workflow.schema.json': `{}`,
  'scripts/build.ts': `import 'esbuild';`,
  'demo/run.ts': `import 'picocolors';`,
  'test/support/fake.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'test/e2e/door.test.ts': `export type { Verb } from '#protocol/noun.ts';`,
  'test/extension/stub.ts': `export type { Uri } from 'vscode';`,
};

const FROM_THE_REPOSITORY = ['package.json', 'tsconfig.json', 'webview-ui/tsconfig.json', 'eslint.config.mjs'];

export const FOLDERS = ['src', 'bin', 'webview-ui', 'scripts', 'demo', 'test'];

/** Writes the skeleton with the given changes to a temporary folder. */
export function makeTree(planted: Readonly<Record<string, string>> = {}): string {
  const tree = mkdtempSync(join(tmpdir(), 'robosmith-architecture-'));
  for (const [path, text] of Object.entries({ ...FILES, ...planted })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  for (const path of FROM_THE_REPOSITORY) cpSync(join(ROOT, path), join(tree, path));
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
  return tree;
}

export const removeTree = (tree: string): void => rmSync(tree, { recursive: true, force: true });

export const SKELETON_SIZE = Object.keys(FILES).filter((path) => path.endsWith('s')).length;
