import path from 'node:path';
import {
  type CallListing,
  type CallReading,
  listCalls,
  type LogPlace,
  readCall,
  searchCalls,
} from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';

const placeOf = (root: string): LogPlace => ({ calls: fileCalls, folder: path.join(root, '.vision', 'logs') });

/** Lists all logged model calls of a project, newest first. */
export const projectCalls = (root: string): CallListing => listCalls(placeOf(root));

/** Reads one call by its id or a unique prefix. */
export const projectCall = (root: string, text: string): CallReading => readCall(placeOf(root), text);

/** Returns the ids of the newest calls whose request or answer contains a text. */
export const projectCallsWith = (root: string, text: string): readonly string[] => searchCalls(placeOf(root), text);
