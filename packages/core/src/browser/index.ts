/** Phyxel for pages: a world in a worker. Small: the engine itself is in the worker only. */

export { serializeScene } from '../scene/serialize.js';
export { type LinearColor, mapColor } from '../surface/color-map.js';
export * from './protocol.js';
export { type ConnectOptions, connectWorld, RemoteError, type RemoteGrab, RemoteWorld } from './remote-world.js';
