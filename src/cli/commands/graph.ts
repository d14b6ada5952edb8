import type { CliIo } from '../terminal/cli-io.ts';
import { writeExport, type ExportOptions } from './export.ts';

export const graph = (options: ExportOptions & { readonly format: string }, io: CliIo): Promise<number> =>
  writeExport(options, ['mermaid', 'dot', 'svg', 'html'], 'graph', io);
