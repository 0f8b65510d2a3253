/** A pause in which messages come in. Timers would wait for milliseconds once they follow each other. */
declare const setImmediate: ((run: () => void) => void) | undefined;

let channel: MessageChannel | undefined;
/** Those who pause, in the order in which they began. */
const waiting: (() => void)[] = [];

export function yieldToMessages(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate?.(resolve));
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(undefined);
  });
}
