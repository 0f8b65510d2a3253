/** Rays against the primitives of a picture, by the compiled loops of assembly/rays.ts. */
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

interface Loops {
  setTree(boxes: number, children: number, leaves: number, order: number): void;
  setPrimitives(clear: number, triangles: number, balls: number, triangleCount: number): void;
  setBounds(x: number, y: number, z: number, radius: number): void;
  trace(...ray: [...Seven, number]): number;
}
type Seven = [number, number, number, number, number, number, number];

const PAGE = 65_536;
/** Below are the last hit and the stack of nodes. */
const DATA = 1024;

let compiled: object | undefined;

/** One thread's copy of a picture's primitives; it is used again for the next picture. */
export class RayMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 });
  readonly loops: Loops;

  constructor() {
    compiled ??= new WebAssembly.Module(readFileSync(new URL('../../wasm/rays.wasm', import.meta.url)));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.memory, abort: () => {} } });
    this.loops = instance.exports as Loops;
  }

  /** Copies arrays one behind the other and gives their addresses. */
  fill(arrays: readonly (Float64Array | Float32Array | Int32Array | Uint8Array)[]): number[] {
    let end = DATA;
    const addresses = arrays.map((array) => {
      const address = end;
      end = (end + array.byteLength + 15) & ~15;
      return address;
    });
    const missing = Math.ceil(end / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (missing > 0) this.memory.grow(missing);
    const bytes = new Uint8Array(this.memory.buffer);
    arrays.forEach((array, i) => {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), addresses[i]!);
    });
    return addresses;
  }
}

export class Rays {
  /** Of the last hit: distance, primitive (-1 for none), and on a triangle the weights of corners 1 and 2. */
  distance = Infinity;
  primitive = -1;
  u = 0;
  v = 0;
  /** Is there anything that light goes through? */
  readonly hasGlass: boolean;
  readonly #loops: Loops;
  readonly #hit: Float64Array;
  readonly #hitPrimitive: Int32Array;

  constructor(geometry: Geometry, tree: Tree, memory = new RayMemory()) {
    const { materialOf, materials, triangles, balls, triangleCount } = geometry;
    const clear = Uint8Array.from(materialOf, (m) => (materials[MATERIAL_STRIDE * m] === GLASS ? 1 : 0));
    this.hasGlass = clear.includes(1);
    const { boxes, children, leaves, order } = tree;
    const at = memory.fill([boxes, children, leaves, order, clear, triangles, balls]);
    this.#loops = memory.loops;
    this.#loops.setTree(at[0]!, at[1]!, at[2]!, at[3]!);
    this.#loops.setPrimitives(at[4]!, at[5]!, at[6]!, triangleCount);
    this.#loops.setBounds(...tree.bounds);
    this.#hit = new Float64Array(memory.memory.buffer, 0, 3);
    this.#hitPrimitive = new Int32Array(memory.memory.buffer, 24, 1);
  }

  /** The nearest hit up to `far`; true when there is one. */
  closest(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, far: number): boolean {
    const found = this.#loops.trace(ox, oy, oz, dx, dy, dz, far, 0) !== 0;
    this.distance = this.#hit[0]!;
    this.u = this.#hit[1]!;
    this.v = this.#hit[2]!;
    this.primitive = this.#hitPrimitive[0]!;
    return found;
  }

  /** Whether something that is not glass is in the way up to `far`. */
  blocked(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, far: number): boolean {
    return this.#loops.trace(ox, oy, oz, dx, dy, dz, far, 1) !== 0;
  }
}
