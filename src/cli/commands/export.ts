import path from 'node:path';
import { exportWorkflow, findRoot, projectCalls, reviewFiles, tooMuchForMermaid } from '#engine/authoring.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { OpenManifest } from '../manifest/open-manifest.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { projectOf } from '../names/stored-source.ts';
import { didYouMean } from '#protocol/nearest.ts';
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
  readonly format?: string;
  readonly out?: string;
  readonly review?: string;
  readonly manifest?: string;
}

/** Writes a workflow in one format, or a bundle for reviewers. */
export function exportGraph(options: ExportOptions, io: CliIo): Promise<number> {
  const { format, review, out } = options;
  const next = ['robosmith export --help'];
  if (review === undefined) {
    if (format === undefined) throw usageError('export needs --format or --review.', next);
    return writeExport({ ...options, format }, ALL, 'export', io);
  }
  if (format !== undefined || out !== undefined)
    throw usageError('--review writes a folder of files: it takes neither --format nor --out.', next);
  return writeReview(review, options, io);
}

async function writeReview(folder: string, options: ExportOptions, io: CliIo): Promise<number> {
  const open = await openWorkflow(options.manifest, io);
  if (open === null) return 2;
  const { graph } = open.workflow;
  const pictures = [
    { name: 'workflow.svg', text: await drawWorkflow(graph, 'svg', io) },
    { name: 'workflow.html', text: await drawWorkflow(graph, 'html', io) },
  ];
  const calls = await pastCalls(open.manifest);
  for (const { name, text } of reviewFiles(open.workflow, pictures, calls))
    await writeProduct(text, path.join(folder, name), io, madeOf(open.manifest));
  return 0;
}

/** Returns the logged calls of the manifest's project; none outside of a project. */
async function pastCalls({ file }: OpenManifest): Promise<readonly CallSummary[]> {
  const found = await findRoot(projectOf(file));
  return 'reason' in found ? [] : projectCalls(found.root).calls;
}

const isPicture = (format: ExportFormat): format is PictureFormat => format === 'svg' || format === 'html';

/** Draws the workflow. The layout engine is loaded only here, since it is large. */
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

/** Returns the files that a workflow is read from. */
const madeOf = ({ file, sources }: OpenManifest): readonly string[] =>
  sources.map((source) => path.resolve(projectOf(file), source.path));

export async function writeExport(
  options: ExportOptions & { readonly format: string },
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

export type GraphOptions = ExportOptions & { readonly format: string };

/** Draws the workflow in a format for people. */
export const graph = (options: GraphOptions, io: CliIo): Promise<number> =>
  writeExport(options, ['mermaid', 'dot', 'svg', 'html'], 'graph', io);
