/** Body of the thread that simulates, so that the main one can always answer to Ctrl-C. */
import { parentPort, workerData } from 'node:worker_threads';
import { core } from '../core.js';
import { describeFailure, type Failure } from '../errors.js';
import { type RunEvent, type RunJob, simulate } from './simulate.js';

export interface ThreadData {
  readonly job: RunJob;
  /** Two numbers: how often the run was asked to stop, and 1 when it has seen that. */
  readonly stop: Int32Array;
}

export type ThreadMessage =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'end'; readonly result: 'finished' | 'interrupted' }
  | { readonly kind: 'failure'; readonly failure: Failure };

const { job, stop } = workerData as ThreadData;
const send = (message: ThreadMessage) => parentPort!.postMessage(message);
try {
  const result = await simulate(
    job,
    core,
    (event) => send({ kind: 'event', event }),
    () => Atomics.load(stop, 0) !== 0 && Atomics.store(stop, 1, 1) === 1,
  );
  send({ kind: 'end', result });
} catch (error) {
  send({ kind: 'failure', failure: describeFailure(error) });
}
