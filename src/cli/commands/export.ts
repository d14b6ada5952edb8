import path from 'node:path';
import { exportWorkflow, tooMuchForMermaid } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { OpenManifest } from '../manifest/open-manifest.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { projectOf } from '../names/stored-source.ts';
import { didYouMean } from '../names/nearest.ts';
import { aboutManifest } from '../print/next-commands.ts';
import { printNext } from '../print/problem.ts';
import { styleFor } from '../print/style.ts';
import { writeProduct } from '../print/write-product.ts';
import { usageError } from '../terminal/usage-error.ts';

type TextFormat = Parameters<typeof exportWorkflow>[1];
type PictureFormat = 'svg' | 'html';
type ExportFormat = TextFormat | PictureFormat;

const ALL: readonly ExportFormat[] = ['json', 'ts', 'mermaid', 'dot', 'scxml', 'svg', 'html'];

export interface ExportOptions {
  readonly format: string;
  readonly out?: string;
  readonly manifest?: string;
}

export const exportGraph = (options: ExportOptions, io: CliIo): Promise<number> =>
  writeExport(options, ALL, 'export', io);

const isPicture = (format: ExportFormat): format is PictureFormat => format === 'svg' || format === 'html';

/** The layout engine is loaded for pictures only. */
async function drawWorkflow(graph: Graph, format: PictureFormat, io: CliIo): Promise<string> {
  const [{ openLayouts }, { drawPage, drawSvg, layoutGraphOf }] = await Promise.all([
    import('#host/layout/index.ts'),
    import('#layout/index.ts'),
  ]);
  const layouts = openLayouts();
  const layout = await layouts.layoutOf(layoutGraphOf(graph, '')).finally(() => layouts.close());
  if (layout.simple) warnOfSimple(io);
  return format === 'svg' ? drawSvg(graph, layout) : drawPage(graph, layout);
}

function warnOfSimple(io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const message = 'The layout failed for some nodes. Their blocks are drawn in the order of the manifest.';
  io.stderr.write(`${paint.yellow(symbols.warn)} ${message}\n`);
}

function warnOfSize(mermaid: string, { isElsewhere, shown }: OpenManifest, io: CliIo): void {
  const why = tooMuchForMermaid(mermaid);
  if (why === null) return;
  const { paint, symbols } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.yellow(symbols.warn)} Mermaid may refuse to draw this diagram: ${why} by default.\n`);
  const page = 'robosmith graph --format html --out workflow.html';
  printNext([aboutManifest(page, isElsewhere ? shown : undefined)], io);
}

/** The files that a workflow is read from. */
const madeOf = ({ file, sources }: OpenManifest): readonly string[] =>
  sources.map((source) => path.resolve(projectOf(file), source.path));

export async function writeExport(
  options: ExportOptions,
  formats: readonly ExportFormat[],
  verb: string,
  io: CliIo,
): Promise<number> {
  const format = formats.find((one) => one === options.format);
  if (format === undefined)
    throw usageError(
      `"${options.format}" is not a format of ${verb}. Use one of ${formats.join(', ')}.${didYouMean(options.format, formats)}`,
      [`robosmith ${verb} --format ${formats[0] ?? ''}`],
    );
  const open = await openWorkflow(options.manifest, io);
  if (open === null) return 2;
  const product = isPicture(format)
    ? await drawWorkflow(open.workflow.graph, format, io)
    : exportWorkflow(open.workflow, format);
  await writeProduct(product, options.out, io, madeOf(open.manifest));
  if (format === 'mermaid') warnOfSize(product, open.manifest, io);
  return 0;
}
