import { codeSearch } from './code-search.ts';
import { compareChanges } from './compare-changes.ts';
import { findSymbol } from './find-symbol.ts';
import { getDependencies } from './get-dependencies.ts';
import { getFileOutline } from './get-file-outline.ts';
import { getRepoMap } from './get-repo-map.ts';
import { getStatus } from './get-status.ts';
import { getSymbolReferences } from './get-symbol-references.ts';
import { getSymbolSource } from './get-symbol-source.ts';
import { indexCode } from './index-code.ts';
import type { Tool } from './tool.ts';

export const ALL_TOOLS: readonly Tool[] = [
  indexCode,
  getFileOutline,
  getSymbolReferences,
  findSymbol,
  codeSearch,
  getSymbolSource,
  getDependencies,
  getRepoMap,
  compareChanges,
  getStatus,
];
