import type { Graph } from '#protocol/graph.ts';
import type { Turn } from '../../reference/turn.ts';
import { type Chart, type ChartEvent, type ChartOptions, type Invoke, readChart } from './scion.ts';

type Holds = Extract<Turn, { kind: 'signal' }>['holds'];

/** One frame of a run: a session of the SCXML interpreter SCION, and the state that the player keeps for it. */
interface Session {
  readonly path: string;
  readonly depth: number;
  readonly chart: Chart;
  readonly children: Map<string, Session>;
  readonly visits: Map<string, number>;
  block: string;
  visit: number;
  openings: number;
  isRetry: boolean;
  isRefused: boolean;
  isCancelled: boolean;
}

export interface Played {
  /** The final state of the root session; null if the run waits for a person. */
  readonly end: string | null;
  /** The frames that wait and have no running child: `<frame> <block>`. */
  readonly waiting: readonly string[];
  /** The differences between the chart and the recorded turns; empty if there are none. */
  readonly strays: readonly string[];
}

const ENGINE = '.engine';

/** Returns the event of the SCXML document for a turn. */
function eventOf(turn: Exclude<Turn, { kind: 'child_failed' }>, names: ReadonlyMap<string, string>): ChartEvent {
  switch (turn.kind) {
    case 'signal':
      return { name: `signal.${turn.signal.slice('SIGNAL:'.length)}${turn.byEngine ? ENGINE : ''}` };
    case 'limit':
      return { name: turn.endsRun ? 'error.platform.run' : 'error.platform.frame' };
    case 'answer':
      return { name: `answer.${turn.answer}${turn.answer === 'jump' ? `.${names.get(turn.to ?? '') ?? ''}` : ''}` };
  }
}

/**
 * Returns the names of the document's states for blocks and nodes, by id. They differ for ids that are not valid XML
 * names.
 */
function stateNamesOf(xml: string, graph: Graph): ReadonlyMap<string, string> {
  const ids = (pattern: RegExp): readonly string[] => Array.from(xml.matchAll(pattern), ([, id = '']) => id);
  const blocks = ids(/<invoke type="worker" id="([^"]+)\.worker"/g);
  const nodes = ids(/^ {4}<state id="([^"]+)" initial=/gm);
  return new Map([
    ...graph.nodes.map(({ id }, index) => [id as string, nodes[index] ?? ''] as const),
    ...graph.nodes.flatMap((node) => node.blocks).map(({ id }, index) => [id as string, blocks[index] ?? ''] as const),
  ]);
}

const startingAt = (xml: string, state: string): string => xml.replace(/ initial="[^"]*"/, ` initial="${state}"`);

/**
 * Executes an SCXML document in SCION. It gets the events and condition results from the recorded turns in order;
 * everything else is decided by the document.
 */
export class ChartPlayer {
  readonly #graph: Graph;
  readonly #names: ReadonlyMap<string, string>;
  readonly #blocks: ReadonlyMap<string, string>;
  readonly #charts = new Map<string, (options: ChartOptions) => Chart>();
  readonly #sessions = new Map<string, Session>();
  readonly #jobs: (() => void)[] = [];
  readonly #failures = new Map<string, Holds[]>();
  readonly #strays: string[] = [];
  #holds: Holds = () => {
    throw new Error('a condition is asked outside a look-up');
  };

  private constructor(xml: string, graph: Graph) {
    this.#graph = graph;
    this.#names = stateNamesOf(xml, graph);
    const blocks = graph.nodes.flatMap((node) => node.blocks);
    this.#blocks = new Map(blocks.map(({ id }) => [this.#names.get(id) ?? '', id]));
  }

  static async of(xml: string, graph: Graph, start: string): Promise<ChartPlayer> {
    const player = new ChartPlayer(xml, graph);
    const globals = {
      condition: (id: string, ...args: Parameters<Holds>[0]['args']): boolean => player.#holds({ id, args }),
    };
    const called = Array.from(xml.matchAll(/<invoke type="node" id="[^"]+" src="#([^"]+)"/g), ([, id = '']) => id);
    const first = player.#names.get(start) ?? '';
    for (const state of new Set([first, ...called]))
      player.#charts.set(state, await readChart(startingAt(xml, state), globals));
    player.#open(first, '/', 0);
    player.#runJobs();
    return player;
  }

  play(turns: readonly Turn[]): Played {
    const root = this.#sessions.get('/');
    for (const turn of turns)
      if (turn.kind === 'child_failed')
        this.#failures.set(turn.frame, [...(this.#failures.get(turn.frame) ?? []), turn.holds]);
    for (const turn of turns) if (turn.kind !== 'child_failed') this.#take(turn);
    const left = [...this.#failures].flatMap(([frame, list]) => list.map(() => `${frame}: no child failed`));
    const waiting = [...this.#sessions.values()].filter(({ children }) => children.size === 0);
    return {
      end: root?.chart.isFinal() === true ? (root.chart.getConfiguration()[0] ?? null) : null,
      waiting: waiting.map(({ path, block }) => `${path} ${block}`).sort(),
      strays: [...this.#strays, ...left],
    };
  }

  #take(turn: Exclude<Turn, { kind: 'child_failed' }>): void {
    const session = this.#sessions.get(turn.frame);
    if (session === undefined || session.block !== turn.block) {
      this.#strays.push(`${turn.frame} is at ${session?.block ?? 'its end'}, not at ${turn.block} (${turn.kind})`);
      return;
    }
    session.isRefused = false;
    session.isRetry = turn.kind === 'answer' && turn.answer === 'retry';
    if (turn.kind === 'signal') this.#holds = turn.holds;
    this.#send(session, eventOf(turn, this.#names));
    session.isRetry = false;
    this.#runJobs();
  }

  #runJobs(): void {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) job();
  }

  #send(session: Session, event: ChartEvent): void {
    session.chart.gen(event);
    if (session.chart.isFinal()) this.#sessions.delete(session.path);
  }

  #open(state: string, path: string, depth: number, caller?: { readonly session: Session; readonly id: string }): void {
    const create = this.#charts.get(state);
    if (create === undefined) throw new Error(`no document begins at ${state}`);
    const chart = create({
      invokers: {
        worker: () => undefined,
        node: (_chart, invoke) => {
          this.#jobs.push(() => {
            this.#invokeNode(session, invoke);
          });
        },
      },
      customSend: (event) => {
        if (caller !== undefined) this.#return(session, caller.session, caller.id, event);
      },
      sessionRegistry: new Map(),
      ...(caller === undefined ? {} : { parentSession: caller.session.chart, invokeid: caller.id }),
    });
    const session: Session = {
      path,
      depth,
      chart,
      children: new Map(),
      visits: new Map(),
      block: '',
      visit: 0,
      openings: 0,
      isRetry: false,
      isRefused: false,
      isCancelled: false,
    };
    caller?.session.children.set(caller.id, session);
    this.#sessions.set(path, session);
    chart.on('onEntry', (entered) => {
      this.#entered(session, entered);
    });
    chart.on('onExit', (left) => {
      const id = `${left.replace(/\.running$/, '')}.child`;
      this.#cancel(session.children.get(id));
      session.children.delete(id);
    });
    chart.start();
  }

  #return(child: Session, caller: Session, id: string, event: ChartEvent): void {
    this.#jobs.push(() => {
      if (!child.isCancelled && caller.children.delete(id)) this.#send(caller, event);
    });
  }

  #cancel(session: Session | undefined): void {
    if (session === undefined) return;
    session.isCancelled = true;
    this.#sessions.delete(session.path);
    for (const child of session.children.values()) this.#cancel(child);
  }

  #entered(session: Session, state: string): void {
    const block = this.#blocks.get(state);
    if (block !== undefined && !(session.isRetry && session.block === block)) {
      session.block = block;
      session.visit = (session.visits.get(block) ?? 0) + 1;
      session.visits.set(block, session.visit);
      session.openings = 0;
    }
    if (/\.(?:call|fork)\.\d+$/.test(state) && session.depth < this.#graph.limits.maxDepth) session.openings += 1;
    if (!state.endsWith('.error')) return;
    const holds = this.#failures.get(session.path)?.shift();
    if (holds === undefined) this.#strays.push(`${session.path} at ${session.block}: a child failed`);
    else this.#holds = holds;
  }

  /** Starts a child frame, or refuses it at the depth limit. The second refusal in a row ends the frame. */
  #invokeNode(session: Session, { id, src }: Invoke): void {
    const branch = /\.branch\.\d+\.(\d+)\.child$/.exec(id)?.[1];
    const state = id.replace(/\.child$/, branch === undefined ? '' : '.running');
    if (!session.chart.getConfiguration().includes(state)) return;
    if (session.depth >= this.#graph.limits.maxDepth) {
      const refusal: ChartEvent = session.isRefused
        ? { name: 'error.platform.frame' }
        : { name: `done.invoke.${id}`, data: 'failed' };
      session.isRefused = true;
      this.#send(session, refusal);
      return;
    }
    const base = `${session.path === '/' ? '' : session.path}/${session.block}#${String(session.visit)}`;
    const opening = session.openings === 1 ? '' : `~${String(session.openings)}`;
    const path = `${base}${opening}${branch === undefined ? '' : `[${branch}]`}`;
    this.#open(src.slice(1), path, session.depth + 1, { session, id });
  }
}
