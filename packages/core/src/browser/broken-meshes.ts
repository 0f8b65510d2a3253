/**
 * Meshes of bodies in pieces, for those who draw them: cut where pieces meet, bound to the particles of their own
 * pieces, with the maps of those. Loaded when something breaks.
 */
import { Engine } from '../memory/engine.js';
import type { BodyOptions } from '../options/types.js';
import { followParticles } from '../surface/binding.js';
import { Carriers } from '../surface/carry.js';
import { DEEPEST } from '../surface/clearance.js';
import type { Neighborhoods } from '../surface/neighborhoods.js';
import { BodyPieces, gather, type Piece } from '../surface/pieces/pieces.js';
import { restMesh } from '../surface/rest-mesh.js';
import { bound } from './bound.js';
import type { BrokenMesh } from './protocol.js';

/** A body that can break. */
export interface BreakableBody {
  readonly options: BodyOptions;
  readonly begin: number;
  readonly end: number;
  readonly affineBegin: number;
  readonly spacing: number;
  /** Its particles at rest, xyz. */
  readonly rest: Float32Array;
}

/** A body in the pieces of a moment. */
interface State {
  readonly labels: Uint32Array;
  /** Another number for every state of any body. */
  readonly version: number;
  readonly pieces: readonly Piece<Neighborhoods>[];
  /** Its particles, one piece after the other, and where each piece ends. */
  readonly order: Uint32Array;
  readonly ends: readonly number[];
  /** Made when maps are asked for; the engine's memory may have been given back since. */
  carriers?: Carriers;
}

interface BrokenBody extends BreakableBody {
  readonly pieces: BodyPieces<Neighborhoods>;
  state: State | undefined;
}

export class BrokenMeshes {
  readonly #engine: Engine;
  readonly #empty: number;
  readonly #bodies: readonly BrokenBody[];
  #versions = 0;

  private constructor(engine: Engine, bodies: readonly BreakableBody[], finest: Finest) {
    this.#engine = engine;
    this.#empty = engine.arena.mark();
    this.#bodies = bodies.map((body) => {
      const { options, spacing, rest, begin } = body;
      const { crackRoughness: roughness } = options;
      const pieces = new BodyPieces(
        () => restMesh(options, spacing, 1),
        rest,
        () => finest.get(begin),
        (vertices, particles) => followParticles(engine, particles, vertices),
        { spacing, roughness },
      );
      return { ...body, pieces, state: undefined };
    });
  }

  /** `finest` are the labels when most has broken, by the first particle of each body, where they are known. */
  static async create(bodies: readonly BreakableBody[], finest: Finest = new Map()): Promise<BrokenMeshes> {
    return new BrokenMeshes(await Engine.create(1), bodies, finest);
  }

  /**
   * Finds the pieces of a moment: numbers of their states by the first particle of each body that is broken then.
   */
  update(labels: ReadonlyMap<number, Uint32Array>): Map<number, number> {
    const versions = new Map<number, number>();
    let isChanged = false;
    for (const body of this.#bodies) {
      const own = labels.get(body.begin);
      if (own && !(body.state && isSame(own, body.state.labels))) {
        body.state = this.#makeState(body, own);
        isChanged = true;
      }
      if (own) versions.set(body.begin, body.state!.version);
    }
    // All of the memory is given back at once.
    if (isChanged) {
      this.#engine.arena.release(this.#empty);
      for (const { state } of this.#bodies) if (state) delete state.carriers;
    }
    return versions;
  }

  #makeState({ pieces: all, rest }: BrokenBody, labels: Uint32Array): State {
    const pieces = all.at(labels) ?? [];
    // Particles whose pieces have no volume of the mesh follow nobody, but have maps.
    const groups = new Map<number, number[]>();
    for (let i = 0; 3 * i < rest.length; i++) {
      const group = groups.get(labels[i]!) ?? [];
      groups.set(labels[i]!, group);
      group.push(i);
    }
    const order = new Uint32Array(labels.length);
    const ends: number[] = [];
    let end = 0;
    for (const group of groups.values()) {
      order.set(group, end);
      end += group.length;
      ends.push(end);
    }
    return { labels, version: ++this.#versions, pieces, order, ends };
  }

  /** The mesh of a body in its present pieces, new arrays each time. */
  mesh(begin: number): BrokenMesh['mesh'] {
    const { state, options, spacing } = this.#bodies.find((body) => body.begin === begin)!;
    const { pieces } = state!;
    const { insideColor } = options;
    const join = <T extends Float32Array | Uint32Array>(
      target: T,
      values: (piece: (typeof pieces)[number]) => ArrayLike<number>,
    ) => {
      let at = 0;
      for (const piece of pieces) {
        const own = values(piece);
        target.set(own, at);
        at += own.length;
      }
      return target;
    };
    const sum = (of: (piece: (typeof pieces)[number]) => number) =>
      pieces.reduce((total, piece) => total + of(piece), 0);
    const vertices = sum(({ mesh }) => mesh.positions.length / 3);
    const hasUvs = pieces.some(({ mesh }) => mesh.uvs);
    const hasColors = pieces.some(({ mesh }) => mesh.colors);
    const near: Neighborhoods = {
      starts: new Int32Array(vertices + 1),
      indices: new Int32Array(sum(({ skin }) => skin.indices.length)),
      weights: new Float64Array(sum(({ skin }) => skin.weights.length)),
    };
    let [vertex, pair] = [0, 0];
    const firsts = new Map<(typeof pieces)[number], number>();
    for (const piece of pieces) {
      const { skin, particles } = piece;
      firsts.set(piece, vertex);
      for (let n = 0; n < skin.indices.length; n++) near.indices[pair + n] = particles[skin.indices[n]!]!;
      near.weights.set(skin.weights, pair);
      for (let v = 1; v < skin.starts.length; v++) near.starts[vertex + v] = pair + skin.starts[v]!;
      vertex += skin.starts.length - 1;
      pair += skin.indices.length;
    }
    // Triangles of one material after those of another.
    const materials = [...new Set(pieces.flatMap(({ mesh }) => mesh.parts.map(({ part }) => part)))].sort(byPart);
    const indices = new Uint32Array(sum(({ mesh }) => mesh.indices.length));
    let end = 0;
    const parts = materials.map((material) => {
      const begin = end;
      for (const piece of pieces) {
        for (const part of piece.mesh.parts) {
          if (part.part !== material) continue;
          const first = firsts.get(piece)!;
          for (let c = part.begin; c < part.end; c++) indices[end++] = first + piece.mesh.indices[c]!;
        }
      }
      return { part: material, begin, end };
    });
    const whole = {
      positions: join(new Float32Array(3 * vertices), ({ mesh }) => mesh.positions),
      normals: join(new Float32Array(3 * vertices), ({ mesh }) => mesh.normals),
      uvs: hasUvs ? join(new Float32Array(2 * vertices), ({ mesh }) => mesh.uvs!) : undefined,
      colors: hasColors ? join(new Float32Array(4 * vertices), ({ mesh }) => mesh.colors!) : undefined,
      indices,
    };
    return { ...bound(whole, near, DEEPEST * spacing), pieceParts: parts, insideColor };
  }

  /** Maps of all particles of bodies that are broken, from their positions, xyz of all particles. */
  packAffines(broken: Iterable<number>, positions: Float32Array, out: Float32Array): void {
    for (const first of broken) {
      const body = this.#bodies.find(({ begin }) => begin === first)!;
      const { begin, end, affineBegin, rest, state } = body;
      const { order, ends } = state!;
      const carriers = state!.carriers ?? new Carriers(this.#engine, gather(rest, 3, order), ends);
      state!.carriers = carriers;
      carriers.update(gather(positions.subarray(3 * begin, 3 * end), 3, order));
      const maps = new Float32Array(12 * order.length);
      carriers.affines(maps, 0);
      for (let n = 0; n < order.length; n++) {
        out.set(maps.subarray(12 * n, 12 * n + 12), 12 * (affineBegin + order[n]!));
      }
    }
  }

  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }
}

/** Labels by the first particle of a body. */
type Finest = ReadonlyMap<number, Uint32Array>;

/** Materials by their numbers, new faces last. */
function byPart(a: number | 'inside', b: number | 'inside'): number {
  return (a === 'inside' ? Infinity : a) - (b === 'inside' ? Infinity : b) || 0;
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  if (a === b) return true;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
