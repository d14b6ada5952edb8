import type { CliIo } from '../terminal/cli-io.ts';
import { type ExportOptions, writeExport } from './export.ts';

export type GraphOptions = ExportOptions & { readonly format: string };

/** Draws the workflow in a format for people. */
export const graph = (options: GraphOptions, io: CliIo): Promise<number> =>
  writeExport(options, ['mermaid', 'dot', 'svg', 'html'], 'graph', io);
