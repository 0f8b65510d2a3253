/** A pause in which messages come in. Timers would wait for milliseconds once they follow each other. */
declare const setImmediate: ((run: () => void) => void) | undefined;

let channel: MessageChannel | undefined;

export function breath(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate?.(resolve));
  channel ??= new MessageChannel();
  const { port1, port2 } = channel;
  return new Promise((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(undefined);
  });
}
