import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { toDot } from './to-dot.ts';
import { toJson, toTypeScript } from './to-typescript.ts';
import { toMermaid } from './to-mermaid.ts';
import { toScxml } from './to-scxml.ts';

export const EXPORT_FORMATS = ['json', 'ts', 'mermaid', 'dot', 'scxml'] as const;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

const WRITERS: Readonly<Record<ExportFormat, (workflow: CompiledWorkflow) => string>> = {
  json: toJson,
  ts: toTypeScript,
  mermaid: ({ graph }) => toMermaid(graph),
  dot: ({ graph }) => toDot(graph),
  scxml: ({ graph }) => toScxml(graph),
};

/** Exports a workflow in a text format. Equal workflows give equal bytes on every machine. */
export const exportWorkflow = (workflow: CompiledWorkflow, format: ExportFormat): string => WRITERS[format](workflow);
