import path from 'node:path';
import { type CallListing, type CallReading, listCalls, type LogPlace, readCall } from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';

const placeOf = (root: string): LogPlace => ({ calls: fileCalls, folder: path.join(root, '.vision', 'logs') });

/** All calls of models that a project has logged, the newest first. */
export const projectCalls = (root: string): CallListing => listCalls(placeOf(root));

/** One of them by its id, or by how that begins. */
export const projectCall = (root: string, text: string): CallReading => readCall(placeOf(root), text);
