import { RoboSmithError } from '#protocol/error.ts';
import type { ViewToHost } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { OneView } from './one-view.ts';
import { refusalOf, type viewActions } from './view-actions.ts';
import {
  sendBlock,
  sendContext,
  sendConversation,
  sendDiff,
  sendLayout,
  sendPast,
  sendText,
  sendVisitDiff,
} from './view-details.ts';
import type { ViewParts } from './view-parts.ts';

type Actions = ReturnType<typeof viewActions>;

const elsewhere = (): Promise<never> =>
  Promise.reject(new RoboSmithError('usage', 'This action is not supported by the program that shows the view.'));

/** Performs the action that a message requests. Returns null if the message only requests data. */
function act(message: ViewToHost, view: OneView, parts: ViewParts, actions: Actions): Promise<string | null> | null {
  switch (message.command) {
    case 'run':
      return actions.run(message.payload, view);
    case 'create':
      return actions.create(message.payload, view);
    case 'step':
      return actions.step(message.payload, view);
    case 'resume':
      return actions.resume(message.payload, view);
    case 'pause':
      return actions.pause(message.payload);
    case 'stop':
      return actions.stop(message.payload);
    case 'answer':
      return actions.answer(message.payload, view);
    case 'fork':
      return actions.fork(message.payload, view);
    case 'merge':
      return actions.merge(message.payload, view);
    case 'hold':
      return actions.hold(message.payload, view);
    case 'resumeSession':
      return actions.resumeSession(message.payload, view);
    case 'discard':
      return actions.discard(message.payload, view);
    case 'restore':
      return actions.restore(message.payload, view);
    case 'push':
      return actions.push(message.payload, view);
    case 'update':
      return actions.update(message.payload, view);
    case 'reconnect':
      return Promise.resolve(null);
    case 'openDiff':
      return sendDiff(message.payload, view, parts);
    case 'openChanges': {
      const { path } = message.payload;
      return path === null ? elsewhere() : sendVisitDiff({ ...message.payload, path }, view, parts);
    }
    case 'openFile':
    case 'openTerminal':
    case 'openSource':
    case 'openProblems':
    case 'openGuide':
    case 'createSample':
      return elsewhere();
    default:
      return null;
  }
}

function answer(message: ViewToHost, view: OneView, parts: ViewParts): void | Promise<void> {
  switch (message.command) {
    case 'ready':
    case 'requestSnapshot':
      return view.snapshot();
    case 'draft':
      return parts.setDraft(message.payload, view);
    case 'open':
      return view.show(message.payload.key);
    case 'requestLayout':
      return sendLayout(message.payload, view, parts);
    case 'requestBlock':
      return sendBlock(message.payload, view, parts);
    case 'requestConversation':
      return sendConversation(message.payload, view, parts);
    case 'requestContext':
      return sendContext(message.payload, view, parts);
    case 'requestPast':
      return sendPast(message.payload, view, parts);
    case 'requestText':
      return sendText(message.payload, view, parts);
    default:
      return;
  }
}

/** Handles a view's message and sends it the result. Never rejects. */
export async function handleViewMessage(
  message: ViewToHost,
  view: OneView,
  parts: ViewParts,
  actions: Actions,
): Promise<void> {
  const request = 'request' in message.payload ? message.payload.request : null;
  try {
    const acting = act(message, view, parts, actions);
    if (acting === null || request === null) return await answer(message, view, parts);
    view.send('reply', { request, ok: true, message: await acting });
  } catch (thrown) {
    if (request !== null) view.send('reply', { request, ok: false, refusal: refusalOf(thrown) });
    else parts.log(`${message.command} of a view failed: ${messageOf(thrown)}`);
  }
}
