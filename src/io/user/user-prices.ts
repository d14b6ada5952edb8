import path from 'node:path';
import { messageOf } from '#protocol/message-of.ts';
import { createFiles } from '../transactions/files.ts';
import { type PriceOverrides, readPrices } from './prices.ts';
import { readSmallFile, type SmallFile } from '../files/read-small-file.ts';

/** A file of prices, either the user's or the project's. */
export interface PriceFile {
  /** The price source that is reported with a cost. */
  readonly source: 'user' | 'project';
  readonly file: string;
  readonly prices: PriceOverrides;
  /** Messages about invalid entries, which are ignored. */
  readonly problems: readonly string[];
}

const LARGEST = 1024 * 1024;
const IN_PROJECT = '.vision/prices.json';

/** Reads the project's file without following links, since a link in a project must not lead to a file of the user. */
async function readInProject(root: string): Promise<SmallFile> {
  try {
    const found = await createFiles(root).readBytes(IN_PROJECT, LARGEST);
    if (found.kind === 'missing') return { missing: true };
    if (found.kind === 'too_large') return { why: `it has ${found.size} bytes, more than the limit of ${LARGEST}` };
    return { text: new TextDecoder().decode(found.bytes) };
  } catch (thrown) {
    return { why: messageOf(thrown) };
  }
}

function parsed(text: string): ReturnType<typeof readPrices> {
  try {
    return readPrices(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return { prices: {}, problems: ['it is not valid JSON'] };
  }
}

function priceFile(source: PriceFile['source'], file: string, read: SmallFile): readonly PriceFile[] {
  if ('missing' in read) return [];
  if ('why' in read) return [{ source, file, prices: {}, problems: [`it can't be read: ${read.why}`] }];
  return [{ source, file, ...parsed(read.text) }];
}

/**
 * Reads `prices.json` in the user's own folder, then `.vision/prices.json` of the project. Missing files are left out.
 */
export async function readPriceFiles(configFolder: string, root: string): Promise<readonly PriceFile[]> {
  const own = path.join(configFolder, 'prices.json');
  return [
    ...priceFile('user', own, await readSmallFile(own, LARGEST)),
    ...priceFile('project', IN_PROJECT, await readInProject(root)),
  ];
}
