/** The worker of a page: a world that is played, grabbed and looked at from outside. */
import * as z from 'zod';
import { preparePasses } from '../memory/engine.js';
import { WorldHost } from './host.js';
import type { ToWorker } from './protocol.js';

// Checks that are compiled from text are forbidden by strict content security policies.
z.config({ jitless: true });

const scope = globalThis as unknown as {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: { data: ToWorker }) => void): void;
};
preparePasses();
const host = new WorldHost((message, transfer) => scope.postMessage(message, transfer));
scope.addEventListener('message', ({ data }) => host.receive(data));
