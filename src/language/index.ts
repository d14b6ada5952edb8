/**
 * Language support for manifests, independent of any editor: takes texts and positions, returns completions,
 * diagnostics, places and edits. Reads no files.
 */
export { importsOf, parseSchemaFile, schemaPathsOf, templateSource } from '#compiler/index.ts';
export type { Completion } from './offers/completion.ts';
export { complete } from './offers/complete.ts';
export { findDefinition, findReferences } from './find/find-places.ts';
export { folding } from './find/folding.ts';
export { hover } from './find/hover.ts';
export { lenses } from './find/lenses.ts';
export { outline, type OutlineEntry } from './find/outline.ts';
export { rename, startRename } from './find/rename.ts';
export { editWording } from './fixes/edit-wording.ts';
export { type Problem, problems } from './fixes/problems.ts';
export { quickFixes } from './fixes/quick-fixes.ts';
export { createProjects, withFacts, type ManifestProject, type ProjectFacts } from './project/manifest-project.ts';
export type { Schema } from './schema/manifest-schema.ts';
export type { Location, Position, Range, TextEdit } from './text/place.ts';
