/** The program of the layout thread: computes the geometry of each shape it receives. */
import { parentPort } from 'node:worker_threads';
import { createElk, layOutLane } from '#layout/index.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { LayoutAnswer, LayoutRequest } from './layout-message.ts';

const elk = createElk();

async function answer({ id, shape }: LayoutRequest): Promise<LayoutAnswer> {
  try {
    return { id, geometry: await layOutLane(shape, elk) };
  } catch (thrown) {
    return { id, failure: messageOf(thrown) };
  }
}

parentPort?.on('message', (request: LayoutRequest) => {
  void answer(request).then((result) => parentPort?.postMessage(result));
});
