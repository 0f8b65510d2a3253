/** Surfaces of what flows, from recorded frames: bodies that look alike have one together. */
import { LiquidSurfacer, type PlaneAt, splitAtWalls } from '../surface/index.js';
import type { Recorded } from './packer.js';
import { ABSENT, type BodyDescription, type LiquidMesh, type Quantity } from './protocol.js';

/** Cells, in spacings: where there are many particles coarser than for films, for speed. */
const CELL = 0.5;
const COARSE_CELL = 0.8;
const MANY = 4000;

export class FlowSurfaces {
  readonly #surfacer: LiquidSurfacer;
  readonly #groups: readonly (readonly BodyDescription[])[];

  private constructor(surfacer: LiquidSurfacer, groups: readonly (readonly BodyDescription[])[]) {
    this.#surfacer = surfacer;
    this.#groups = groups;
  }

  /** Undefined when nothing of the bodies flows. */
  static async create(bodies: readonly BodyDescription[], threads: 'auto' | number): Promise<FlowSurfaces | undefined> {
    const groups = alike(bodies.filter(({ flows, melts }) => flows || melts));
    return groups.length === 0 ? undefined : new FlowSurfaces(await LiquidSurfacer.create({ threads }), groups);
  }

  /** With the values of a quantity at the vertices. Sources that have given nothing yet have no triangles. */
  of(
    { positions, quantities, melted }: Recorded,
    quantity: Quantity | undefined,
    walls: readonly PlaneAt[],
  ): LiquidMesh[] {
    const values = quantity === undefined ? undefined : quantities.get(quantity);
    const liquids = this.#groups.map((bodies) => {
      const most = bodies.reduce((sum, { begin, end }) => sum + end - begin, 0);
      const places = new Float32Array(3 * most);
      const own = values && new Float32Array(most);
      let present = 0;
      for (const { name, melts, begin, end } of bodies) {
        if (melts && !melted.includes(name)) continue;
        for (let i = begin; i < end; i++) {
          if (positions[3 * i] === ABSENT) continue;
          places[3 * present] = positions[3 * i]!;
          places[3 * present + 1] = positions[3 * i + 1]!;
          places[3 * present + 2] = positions[3 * i + 2]!;
          if (own) own[present] = values[i]!;
          present++;
        }
      }
      const attributes = own && { value: { components: 1, values: own.subarray(0, present) } };
      return {
        positions: places.subarray(0, 3 * present),
        spacing: bodies[0]!.spacing,
        ...(attributes && { attributes }),
      };
    });
    const most = Math.max(...liquids.map((liquid) => liquid.positions.length / 3));
    const meshes = this.#surfacer.surfaces(liquids, { cell: most > MANY ? COARSE_CELL : CELL, walls });
    return meshes.map((made, k) => {
      const bodies = this.#groups[k]!;
      const mesh = splitAtWalls(made, walls, bodies[0]!.spacing);
      return {
        bodies: bodies.map(({ name }) => name),
        positions: mesh.positions,
        normals: mesh.normals,
        indices: mesh.indices,
        values: mesh.attributes.value?.values,
      };
    });
  }

  async dispose(): Promise<void> {
    await this.#surfacer.dispose();
  }
}

function alike(bodies: readonly BodyDescription[]): BodyDescription[][] {
  const groups = new Map<string, BodyDescription[]>();
  for (const body of bodies) {
    // Solids that flow stay apart, whatever they look like.
    const own = body.isFluid ? undefined : body.name;
    const look = JSON.stringify([own, body.color, body.look, body.spacing]);
    const group = groups.get(look);
    if (group) group.push(body);
    else groups.set(look, [body]);
  }
  return [...groups.values()];
}
