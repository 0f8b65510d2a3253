/** A thread's memory for the compiled loops of assembly/, and rays against the primitives of a picture. */
import { readFileSync } from 'node:fs';
import type { Tree } from './bvh.js';
import { type Geometry, GLASS, MATERIAL_STRIDE } from './geometry.js';

/** What is used of it: the types of the web are not those of Node. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: { initial: number }) => WasmMemory;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

type Ray = [ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, far: number];

type Rows = [width: number, first: number, last: number, step: number, begin: number, end: number];

/** The compiled functions; their arguments are told in assembly/. */
export interface Loops {
  setTree(...addressesAndCount: [number, number, number, number, number, number]): void;
  setBounds(x: number, y: number, z: number, radius: number): void;
  setPrimitives(triangleCount: number, ...addresses: [number, number, number, number, number, number, number]): void;
  setView(view: number): void;
  closest(...ray: Ray): number;
  blocked(...ray: Ray): number;
  drawTile(left: number, top: number, right: number, bottom: number, film: number): void;
  smoothRows(...addresses: [film: number, from: number, to: number, ...Rows]): void;
  setMostSamples(most: number): void;
  startNumbers(pixel: number, sample: number): void;
  drawNumbers(): void;
  readonly numberX: { readonly value: number };
  readonly numberY: { readonly value: number };
}

const PAGE = 65_536;
/** Below are the last hit, the stack of nodes, and what else assembly/memory.ts lists. */
const DATA = 8192;

type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

let compiled: object | undefined;

/** One thread's copy of a picture's primitives, and room to work in; used again for the next picture. */
export class RayMemory {
  readonly loops: Loops;
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  #end = DATA;

  constructor() {
    compiled ??= new WebAssembly.Module(readFileSync(new URL('../../wasm/paths.wasm', import.meta.url)));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory, abort: () => {} } });
    this.loops = instance.exports as Loops;
  }

  /** Valid until the memory grows. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Copies arrays one behind the other, in place of those before, and gives their addresses. */
  fill(arrays: readonly Numbers[]): number[] {
    this.#end = DATA;
    return this.append(arrays);
  }

  /** Copies arrays behind those that are there. */
  append(arrays: readonly Numbers[]): number[] {
    const addresses = arrays.map((array) => this.#take(array.byteLength));
    const bytes = new Uint8Array(this.buffer);
    arrays.forEach((array, i) => {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), addresses[i]!);
    });
    return addresses;
  }

  /** Room behind everything, which the next call may give again. */
  scratch(bytes: number): number {
    const end = this.#end;
    const address = this.#take(bytes);
    this.#end = end;
    return address;
  }

  #take(bytes: number): number {
    const address = this.#end;
    this.#end = 16 * Math.ceil((address + bytes) / 16);
    const missing = Math.ceil(this.#end / PAGE) - this.buffer.byteLength / PAGE;
    if (missing > 0) this.#memory.grow(missing);
    return address;
  }
}

export class Rays {
  readonly #memory: RayMemory;

  /** Of the last hit: distance and primitive (-1 for none). */
  distance = Infinity;
  primitive = -1;
  readonly #order: Int32Array;

  constructor(geometry: Geometry, tree: Tree, memory = new RayMemory()) {
    this.#memory = memory;
    this.#order = tree.order;
    const { materialOf, materials, triangleCount } = geometry;
    const { nodes, leaves, order, slots } = tree;
    const clear = Uint8Array.from(order, (p) => (materials[MATERIAL_STRIDE * materialOf[p]!] === GLASS ? 1 : 0));
    const at = memory.fill([nodes, leaves, order, clear, slots]);
    memory.loops.setTree(at[0]!, at[1]!, at[2]!, at[3]!, at[4]!, triangleCount);
    memory.loops.setBounds(...tree.bounds);
  }

  /** The nearest hit up to `far`; true when there is one. */
  closest(...ray: Ray): boolean {
    const found = this.#memory.loops.closest(...ray) !== 0;
    const view = new DataView(this.#memory.buffer);
    this.distance = view.getFloat64(0, true);
    this.primitive = found ? this.#order[view.getInt32(24, true)]! : -1;
    return found;
  }

  /** Whether something that is not glass is in the way up to `far`. */
  blocked(...ray: Ray): boolean {
    return this.#memory.loops.blocked(...ray) !== 0;
  }
}
