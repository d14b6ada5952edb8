import { acquireEngineLock } from '#actors/engine-lock/index.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/*
 * A model of processes that compete for one engine lock, one file call at a time, in any order. A process is
 * represented by the log of its calls' results. To execute a step, its program runs from the start, reads results from
 * the log, makes one further call, and is aborted at the next one. The state of the model is therefore plain data,
 * which can be compared and continued several times.
 */

export interface World {
  /** The contents of the files in `.flow/engine.lock/`, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly processes: readonly Process[];
  readonly dead: readonly number[];
}

export interface Process {
  readonly pid: number;
  /** How many more times the process will acquire and release the lock. */
  readonly rounds: number;
  readonly log: readonly Outcome[];
  /**
   * A read of the folder in progress: the names that existed throughout, and those that appeared or disappeared since
   * it began. Null if there is none.
   */
  readonly listing: { readonly settled: readonly string[]; readonly unsettled: readonly string[] } | null;
  readonly state: 'running' | 'owner' | 'releasing' | 'finished' | 'refused' | 'threw';
  readonly hasOwned: boolean;
  /** The owner that a refusal named. */
  readonly refusedFor: number | null;
  readonly threw: string | null;
}

type Outcome = { readonly gives: unknown } | { readonly throws: string };

const PLACE = '/flow/engine.lock';

const newProcess = (pid: number, rounds: number): Process => ({
  pid,
  rounds,
  log: [],
  listing: null,
  state: 'running',
  hasOwned: false,
  refusedFor: null,
  threw: null,
});

export type Files = World['files'];

export const newWorld = (files: Files, rounds: readonly number[]): World => ({
  files,
  processes: rounds.map((count, index) => newProcess(index + 11, count)),
  dead: [],
});

class CutOff extends Error {}

class SystemError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * Chooses which names are in the listing, of those that appeared or disappeared during the read. The system gives no
 * guarantee about them.
 */
type Choose = (unsettled: readonly string[]) => readonly string[];

interface Step {
  readonly world: World;
  readonly index: number;
  readonly choose: Choose;
}

/** The execution of one process's next call, which changes the state. */
class Turn {
  world: World;
  isCutOff = false;
  private readonly index: number;
  private readonly choose: Choose;
  private next = 0;
  private hasStepped = false;

  constructor({ world, index, choose }: Step) {
    this.world = world;
    this.index = index;
    this.choose = choose;
  }

  get process(): Process {
    return this.world.processes[this.index]!;
  }

  change(part: Partial<Process>): void {
    const processes = this.world.processes.with(this.index, { ...this.process, ...part });
    this.world = { ...this.world, processes };
  }

  /** Makes a call that other processes can observe or affect. Another process may run before it. */
  visible(make: () => unknown): unknown {
    if (this.isCutOff) throw new CutOff();
    if (this.next === this.process.log.length) {
      if (this.hasStepped) {
        this.isCutOff = true;
        throw new CutOff();
      }
      this.hasStepped = true;
      const outcome = this.outcomeOf(make);
      this.change({ log: [...this.process.log, outcome] });
    }
    const outcome = this.process.log[this.next]!;
    this.next += 1;
    if ('throws' in outcome) throw new SystemError(outcome.throws);
    return outcome.gives;
  }

  private outcomeOf(make: () => unknown): Outcome {
    try {
      return { gives: make() ?? null };
    } catch (thrown) {
      if (thrown instanceof SystemError) return { throws: thrown.code };
      throw thrown;
    }
  }

  /** Restarts the process without any memory of earlier calls. */
  forget(): void {
    this.change({ log: [] });
    this.next = 0;
  }

  /** Records that a name appeared or disappeared: a read in progress may or may not list it. */
  private touch(name: string): void {
    const processes = this.world.processes.map((one) => {
      if (one.listing === null) return one;
      const settled = one.listing.settled.filter((each) => each !== name);
      const unsettled = [...new Set([...one.listing.unsettled, name])].sort();
      return { ...one, listing: { settled, unsettled } };
    });
    this.world = { ...this.world, processes };
  }

  private put(name: string, text: string): void {
    if (!(name in this.world.files)) this.touch(name);
    const files = { ...this.world.files, [name]: text };
    const sorted = Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1));
    this.world = { ...this.world, files: Object.fromEntries(sorted) };
  }

  private content(path: string): string {
    const text = this.world.files[nameOf(path)];
    if (text === undefined) throw new SystemError('ENOENT');
    return text;
  }

  private list(): readonly string[] {
    this.visible(() => this.change({ listing: { settled: Object.keys(this.world.files), unsettled: [] } }));
    return this.visible(() => {
      const { settled, unsettled } = this.process.listing!;
      this.change({ listing: null });
      return [...settled, ...this.choose(unsettled)];
    }) as readonly string[];
  }

  calls(): FileCalls {
    const temporary = new Map<string, string>();
    const open: string[] = [];
    /** Makes a call on a temporary file, which no other process knows. */
    const alone = <Value>(make: () => Value): Value => {
      if (this.isCutOff) throw new CutOff();
      return make();
    };
    const never = (): never => {
      throw new Error('the lock makes no such call');
    };
    return {
      open: (path) => alone(() => open.push(path) - 1),
      write: (descriptor, bytes) =>
        alone(() => {
          temporary.set(open[descriptor]!, Buffer.from(bytes).toString());
          return bytes.length;
        }),
      sync: () => alone(() => undefined),
      close: () => alone(() => undefined),
      syncFolder: () => alone(() => undefined),
      makeFolder: never,
      stat: () => alone(() => ({ size: 0, modifiedAt: 0, isFolder: true })),
      link: (from, to) => {
        const text = temporary.get(from)!;
        this.visible(() => {
          if (nameOf(to) in this.world.files) throw new SystemError('EEXIST');
          this.put(nameOf(to), text);
        });
      },
      rename: (from, to) => {
        const text = temporary.get(from)!;
        this.visible(() => this.put(nameOf(to), text));
      },
      remove: (path) => {
        if (path.endsWith('.tmp')) alone(() => temporary.delete(path));
        else
          this.visible(() => {
            this.content(path);
            this.touch(nameOf(path));
            const files = Object.entries(this.world.files).filter(([name]) => name !== nameOf(path));
            this.world = { ...this.world, files: Object.fromEntries(files) };
          });
      },
      read: (path) => Buffer.from(this.visible(() => this.content(path)) as string),
      list: () => this.list(),
      datasync: never,
      datasyncAside: never,
      truncate: never,
      removeFolder: never,
    };
  }
}

const nameOf = (path: string): string => path.slice(PLACE.length + 1);

/** Acquires the lock, owns it until the process's next turn, and releases it. */
function runRound(turn: Turn): void {
  const { pid, rounds } = turn.process;
  let ids = 0;
  turn.change({ state: 'running' });
  const lock = acquireEngineLock({
    calls: turn.calls(),
    folder: '/flow',
    socket: null,
    now: () => 0,
    newId: () => `${pid}-${rounds}-${(ids += 1)}`,
    liveness: {
      self: { pid, started: null, host: 'here' },
      isAlive: (who) => turn.visible(() => (turn.world.dead.includes(who.pid) ? 'dead' : 'alive')) as 'dead' | 'alive',
    },
  });
  if (!lock.ok) {
    turn.forget();
    turn.change({ state: 'refused', refusedFor: lock.owner.pid });
    return;
  }
  turn.change({ state: 'owner', hasOwned: true });
  turn.visible(() => null);
  turn.change({ state: 'releasing' });
  lock.release();
  turn.forget();
  turn.change({ state: rounds === 1 ? 'finished' : 'running', rounds: rounds - 1 });
}

export const hasEnded = ({ state }: Process): boolean =>
  state === 'finished' || state === 'refused' || state === 'threw';

/** Returns the state after one more call of a process. */
export function step(world: World, index: number, choose: Choose = (unsettled) => unsettled): World {
  const turn = new Turn({ world, index, choose });
  try {
    runRound(turn);
  } catch (thrown) {
    if (!turn.isCutOff) turn.change({ state: 'threw', threw: String(thrown) });
  }
  return turn.world;
}

/** Returns the state after a process was killed. */
export const kill = (world: World, index: number): World => ({
  ...world,
  dead: [...world.dead, world.processes[index]!.pid].sort((a, b) => a - b),
});

export const isDead = (world: World, { pid }: Process): boolean => world.dead.includes(pid);

export const owners = (world: World): readonly number[] =>
  world.processes.filter((one) => one.state === 'owner' && !isDead(world, one)).map(({ pid }) => pid);

/** Adds a process and runs it alone until it stops. */
export function arrive(world: World, pid: number): World {
  let now: World = { ...world, processes: [...world.processes, newProcess(pid, 1)] };
  const index = now.processes.length - 1;
  while (now.processes[index]!.state === 'running') now = step(now, index);
  return now;
}
