/** What is left of the meshes of bodies that melt, in recorded frames. */
import { type FlowingParticles, keptVertices, MeshGaps, MeshRemains } from '../surface/remains.js';
import type { Recorded } from './packer.js';
import { paintLike } from './paint.js';
import type { BodyDescription, BoundMesh, RemainingMesh } from './protocol.js';

interface MeltingBody {
  readonly begin: number;
  readonly end: number;
  readonly mesh: Pick<BoundMesh, 'positions' | 'indices' | 'particles' | 'weights' | 'neighbors'>;
  /** Red, green and blue of its particles, linear, where its mesh has colours that the scene does not overrule. */
  readonly colors: Float32Array | undefined;
  /** Made when it has begun to melt. */
  remains?: MeshRemains;
  gaps?: MeshGaps;
}

export class MeltingMeshes {
  readonly #bodies: readonly MeltingBody[];
  readonly #rest: Float32Array;
  #recorded: Recorded | undefined;

  private constructor(bodies: readonly MeltingBody[], rest: Float32Array) {
    this.#bodies = bodies;
    this.#rest = rest;
  }

  /** All particles at rest, xyz. */
  static async create(bodies: readonly BodyDescription[], rest: Float32Array): Promise<MeltingMeshes> {
    const melting = bodies.filter(({ melts, mesh }) => melts && mesh);
    const made = melting.map(async ({ begin, end, mesh, color }) => {
      const colors = color === undefined ? await paintLike(mesh!, rest.subarray(3 * begin, 3 * end)) : undefined;
      const { positions, indices, particles, weights, neighbors } = mesh!;
      // Descriptions are handed over to the page with what is in them.
      return { begin, end, mesh: structuredClone({ positions, indices, particles, weights, neighbors }), colors };
    });
    return new MeltingMeshes(await Promise.all(made), rest);
  }

  /** Red, green and blue of the particles of a body, linear; undefined where it has one colour. */
  colorsOf({ begin }: BodyDescription): Float32Array | undefined {
    return this.#bodies.find((body) => body.begin === begin)?.colors;
  }

  /** Particles of a body that the surface of a liquid goes around, counted from its first; all when undefined. */
  flowing(recorded: Recorded, { begin }: BodyDescription): FlowingParticles | undefined {
    this.#update(recorded);
    return this.#bodies.find((body) => body.begin === begin)?.remains?.flowing();
  }

  /** Those that are not whole any more, of the bodies with their names of now. */
  of(recorded: Recorded, bodies: readonly BodyDescription[]): RemainingMesh[] {
    this.#update(recorded);
    return this.#bodies.flatMap((body) => {
      const indices = recorded.melted.includes(body.begin) && indicesOf(body);
      return indices ? [{ body: bodies.find(({ begin }) => begin === body.begin)!.name, indices }] : [];
    });
  }

  #update(recorded: Recorded): void {
    if (recorded === this.#recorded) return;
    this.#recorded = recorded;
    for (const body of this.#bodies) {
      const { begin, end, mesh } = body;
      if (!recorded.melted.includes(begin)) continue;
      body.remains ??= new MeshRemains(this.#rest.subarray(3 * begin, 3 * end));
      body.gaps ??= new MeshGaps(mesh.positions, mesh.indices);
      body.remains.update(recorded.positions.subarray(3 * begin, 3 * end), recorded.molten?.subarray(begin, end));
    }
  }
}

/** The triangles of a mesh with the vertices that stand for theirs; undefined when it is whole. */
function indicesOf({ remains, gaps, mesh }: MeltingBody): Uint32Array | undefined {
  const { particles, weights, neighbors, indices } = mesh;
  const shares = new Float32Array(particles.length / neighbors);
  for (let n = 0; n < particles.length; n++) {
    shares[Math.floor(n / neighbors)]! += weights[n]! * remains!.intact[particles[n]!]!;
  }
  const kept = keptVertices(shares);
  if (!kept.includes(0)) return undefined;
  const standsFor = gaps!.closing(kept);
  return standsFor ? indices.map((v) => standsFor[v]!) : new Uint32Array(indices.length);
}
