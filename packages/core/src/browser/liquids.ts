/** Surfaces of what flows, from recorded frames: bodies that look alike have one together. */
import { LiquidSurfacer } from '../surface/liquid.js';
import { splitAtWalls } from '../surface/liquid-walls.js';
import type { PlaneAt } from '../surface/shape-mesh.js';
import type { MeltingMeshes } from './melting-meshes.js';
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

  static async create(bodies: readonly BodyDescription[], threads: 'auto' | number): Promise<FlowSurfaces> {
    const groups = alike(bodies.filter(({ flows, melts }) => flows || melts));
    return new FlowSurfaces(await LiquidSurfacer.create({ threads }), groups);
  }

  /** With the values of a quantity at the vertices. Sources that have given nothing yet have no triangles. */
  of(
    recorded: Recorded,
    quantity: Quantity | undefined,
    walls: readonly PlaneAt[],
    melting: MeltingMeshes,
  ): LiquidMesh[] {
    const { positions, quantities, melted } = recorded;
    const values = quantity === undefined ? undefined : quantities.get(quantity);
    const liquids = this.#groups.map((bodies) => {
      const most = bodies.reduce((sum, { begin, end }) => sum + end - begin, 0);
      const points = new Float32Array(3 * most);
      const own = values && new Float32Array(most);
      // Bodies that melt have a surface each.
      const paint = melting.colorsOf(bodies[0]!);
      const colors = paint && new Float32Array(3 * most);
      let present = 0;
      const add = (i: number, from: Float32Array, at: number) => {
        for (let a = 0; a < 3; a++) points[3 * present + a] = from[3 * at + a]!;
        if (own) own[present] = values![i]!;
        if (colors) colors.set(paint.subarray(3 * (i - bodies[0]!.begin), 3 * (i - bodies[0]!.begin) + 3), 3 * present);
        present++;
      };
      for (const body of bodies) {
        if (body.melts && !melted.includes(body.begin)) continue;
        const flowing = body.melts && melting.flowing(recorded, body);
        if (flowing) for (const [k, j] of flowing.numbers.entries()) add(body.begin + j, flowing.positions, k);
        else for (let i = body.begin; i < body.end; i++) if (positions[3 * i] !== ABSENT) add(i, positions, i);
      }
      const attributes = {
        ...(own && { value: { components: 1, values: own.subarray(0, present) } }),
        ...(colors && { color: { components: 3, values: colors.subarray(0, 3 * present) } }),
      };
      return {
        positions: points.subarray(0, 3 * present),
        spacing: bodies[0]!.spacing,
        attributes,
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
        colors: mesh.attributes.color?.values,
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
