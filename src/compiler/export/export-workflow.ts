import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { toDot } from './to-dot.ts';
import { toHtml } from './html/to-html.ts';
import { toJson } from './to-json.ts';
import { toMermaid } from './to-mermaid.ts';
import { toScxml } from './to-scxml.ts';
import { toTypeScript } from './to-typescript.ts';

export const EXPORT_FORMATS = ['json', 'ts', 'mermaid', 'dot', 'scxml', 'html'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const WRITERS: Readonly<Record<ExportFormat, (workflow: CompiledWorkflow) => string>> = {
  json: toJson,
  ts: toTypeScript,
  mermaid: ({ graph }) => toMermaid(graph),
  dot: ({ graph }) => toDot(graph),
  scxml: ({ graph }) => toScxml(graph),
  html: ({ graph }) => toHtml(graph),
};

/** The same workflow gives the same bytes, whenever and wherever (spec/engine.md "Export for review"). */
export const exportWorkflow = (workflow: CompiledWorkflow, format: ExportFormat): string => WRITERS[format](workflow);
