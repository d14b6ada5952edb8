import path from 'node:path';
import type { ViewToHost } from '#protocol/generated/view.gen.ts';
import { RoboSmithError } from '#protocol/error.ts';

const notHere = (message: string, next: readonly string[]): Promise<never> =>
  Promise.reject(new RoboSmithError('refused', message, { next: [...next] }));

/**
 * Answers messages that need an editor, mostly by rejecting them with an explanation of what to do in a terminal.
 * Returns null if the host handles the message.
 */
export function answerLocally(
  message: ViewToHost,
  root: string,
  createSample: () => Promise<string>,
): Promise<string | null> | null {
  switch (message.command) {
    case 'openFile': {
      const { path: file, line } = message.payload;
      const place = line === null ? file : `${file}:${line}`;
      return notHere(`A browser can't open files: open ${place} in your editor.`, []);
    }
    case 'openTerminal':
      return notHere("A browser can't open a terminal: use the command.", [
        `robosmith sessions terminal ${message.payload.session}`,
      ]);
    case 'openSource': {
      const { file, line } = message.payload.source;
      return notHere(`A browser can't open files: open ${path.join(root, file)}:${line} in your editor.`, []);
    }
    case 'openProblems':
      return notHere("A browser can't list the problems: use the command.", ['robosmith validate']);
    case 'openGuide':
      return notHere('The guide is part of the documentation.', ['robosmith docs tutorial']);
    case 'createSample':
      return createSample();
    default:
      return null;
  }
}
