/** Who appears in the pictures of a run, and the picture's geometry in a frame. */
import {
  type BodyOptions,
  bodyPose,
  matterOf,
  movePoints,
  ObstacleClearance,
  type ObstacleOptions,
  refineMesh,
  restMesh,
  type Skinner,
  shapeMesh,
  type TriangleMesh,
} from 'phyxel';
import { flowsFreely, mayMelt } from '../core.js';
import { dressed, insideMaterial } from '../export/body-mesh.js';
import type { ExportMaterial } from '../export/geometry.js';
import { type Frame, hasMelted } from '../run/frame-file.js';
import { BreakingBody } from '../run/pieces.js';
import { BodyRemains, NONE } from '../run/remains.js';
import {
  type Actor,
  Balls,
  BreakingMesh,
  type Carrying,
  COAT,
  type ColorScale,
  DressedMesh,
  edgeFor,
  GLASS,
  LIQUID_DEPTH,
  Obstacle,
  type Particles,
  positionsOf,
  RigidMesh,
  SkinnedMesh,
  type Stage,
  tint,
  WATER,
  Wall,
  WHITE,
  WhileSolid,
} from './actors.js';
import { chooseColors, fromHex, OBSTACLE, WALL } from './colors.js';
import {
  type BallsPart,
  buildGeometry,
  type Color,
  type Geometry,
  type Look,
  type Material,
  type MeshPart,
} from './geometry.js';
import type { Surfacer } from './liquid.js';
import { type DrawnLiquid, LiquidsActor } from './liquids.js';
import { paintWith } from './paint.js';
import { LiquidPoints, type PointDrawing, SolidSurfels } from './points.js';
import type { RunSource } from './run-source.js';
import { readTexture, type Texture } from './texture.js';

/** Of pieces of glass, so that rays go out of one before they go into the next [spacings]. */
const CRACK_GAP = 0.02;

interface ActorOptions {
  /** Bodies as balls instead of their meshes. */
  readonly particles: boolean;
  readonly scale?: ColorScale | undefined;
  /** Obstacles that hold liquid: they are glass unless the scene says otherwise. */
  readonly vessels: ReadonlySet<string>;
  /** Carries meshes of bodies. */
  readonly skinner: Skinner;
  /** Makes surfaces of liquids; they are balls without. */
  readonly surfacer?: Surfacer | undefined;
  /** Shows solids as surfels, and with `liquids` these as point surfaces. */
  readonly points?: PointDrawing | undefined;
  /** What walls stand around, and where they are looked at from; none are drawn without. */
  readonly stage?: Stage | undefined;
  readonly warn?: ((message: string) => void) | undefined;
}

export class Cast {
  readonly #run: RunSource;
  readonly #actors: Actor[] = [];
  readonly #materials: Material[] = [];
  readonly #obstacles: readonly ObstacleOptions[];
  readonly #touched: Obstacle[] = [];
  readonly #liquids: LiquidsActor;
  /** By how they look. */
  readonly #alike = new Map<string, DrawnLiquid>();

  constructor(run: RunSource, start: Frame, options: ActorOptions) {
    const { scene } = run;
    this.#run = run;
    this.#obstacles = scene.obstacles;
    const surfacer = options.particles ? undefined : options.surfacer;
    this.#liquids = new LiquidsActor(surfacer, scene.obstacles, this.#touched);
    const colors = chooseColors(
      scene,
      start.bodies.map(({ name }) => name),
    );
    const clearance = new ObstacleClearance(scene.obstacles);
    const liquids = new Map<number, Particles[]>();
    for (const { name, begin, end } of start.bodies) {
      const body = scene.bodies.find((candidate) => candidate.name === name);
      const emitter = scene.emitters.find((candidate) => candidate.name === name);
      const { look } = body ?? emitter ?? {};
      // A melt whose look is told has its own mesh as long as it is solid.
      const isFluid = body !== undefined && matterOf(body).isFluid;
      const hasMesh = isFluid && look !== undefined && look !== 'glass' && mayMelt(body);
      const isLiquid = emitter !== undefined || (isFluid && !hasMesh);
      const color = colors.get(name)!;
      const spacing = run.spacings.get(name) ?? 0.01;
      const parts = run.parts.get(name);
      const particles: Carrying = { begin, end, spacing, parts, clearance, color, scale: options.scale };
      if (isLiquid && options.points?.liquids && !options.particles) {
        const same = liquids.get(spacing);
        if (same) same.push(particles);
        else {
          const all = [particles];
          liquids.set(spacing, all);
          const material = this.#material(look === 'matte' ? look : 'glossy', color);
          this.#actors.push(
            new LiquidPoints(all, material, options.points, scene.obstacles, this.#touched, options.stage),
          );
        }
      } else if (isLiquid) {
        const kept = (frame: Frame) => run.readSurfaces(frame, {})?.get(name);
        this.#addLiquid(particles, look, kept);
      } else if (flowsFreely(body) && !hasMesh) {
        // What flows has the surface of a liquid, but is not clear.
        this.#addLiquid(particles, look ?? 'glossy');
      } else if (options.particles || body === undefined) {
        this.#actors.push(new Balls(particles, this.#material(options.scale ? 'matte' : (look ?? 'glossy'), color)));
      } else {
        this.#addBody(body, particles, start, options);
      }
    }
    for (const obstacle of scene.obstacles) {
      if ('plane' in obstacle.shape) {
        if (options.stage) this.#addWall(obstacle, options.stage);
        continue;
      }
      const look = obstacle.look ?? (options.vessels.has(obstacle.name) ? 'glass' : 'matte');
      const isClear = look === 'glass';
      const color = obstacle.color === undefined ? (isClear ? WHITE : OBSTACLE) : fromHex(obstacle.color);
      const actor = new Obstacle(obstacle, this.#material(look, color, GLASS), color, isClear);
      this.#actors.push(actor);
      this.#touched.push(actor);
    }
  }

  /** A body with a mesh of its own, which gives way to the surface of a liquid where it melts. */
  #addBody(body: BodyOptions, particles: Carrying, start: Frame, options: ActorOptions): void {
    const { name } = body;
    if (!mayMelt(body)) {
      const solid = this.#solid(body, particles, start, options);
      const mayBreak = matterOf(body).phase === 'solid' && !options.points;
      this.#actors.push(mayBreak ? this.#breaking(body, particles, start, options, solid) : solid);
      return;
    }
    const look = body.look ?? 'glossy';
    if (options.points) {
      const numbers = Array.from({ length: particles.end - particles.begin }, (_, i) => i);
      const flowing = (frame: Frame) =>
        hasMelted(frame, name) ? { numbers, positions: positionsOf(frame, particles) } : NONE;
      this.#actors.push(new WhileSolid(name, this.#solid(body, particles, start, options)));
      this.#addLiquid({ ...particles, flowing }, look);
      return;
    }
    const { begin, end } = particles;
    const remains = new BodyRemains({ name, begin, end, isMelt: matterOf(body).isFluid }, start);
    this.#actors.push(this.#solid(body, { ...particles, remains }, start, options));
    const colors = options.scale ? undefined : this.#painted(body, particles, start);
    this.#addLiquid({ ...particles, flowing: (frame) => remains.flowing(frame), colors }, look);
  }

  /** Colours of the particles of a body with a texture: those of the nearest points of its mesh. */
  #painted(body: BodyOptions, particles: Carrying, start: Frame): Float32Array | undefined {
    if (!('mesh' in body.shape) || !body.shape.mesh.data?.finish?.materials) return undefined;
    const plain: ExportMaterial = { name: body.name, color: particles.color, roughness: COAT };
    return paintWith(restMesh(body, particles.spacing, 1), positionsOf(start, particles), (own) =>
      own ? dressed(plain, own, body) : plain,
    );
  }

  /** A solid, with the pieces that are drawn in place of it as soon as it has broken. */
  #breaking(body: BodyOptions, particles: Carrying, start: Frame, options: ActorOptions, whole: Actor): Actor {
    const { skinner, warn } = options;
    const { name, look = 'glossy' } = body;
    const gap = look === 'glass' ? CRACK_GAP : 0;
    const pieces = new BreakingBody(body, particles, start, { run: this.#run, skinner, refine: 1, gap, warn });
    const plain: ExportMaterial = { name, color: particles.color, roughness: COAT };
    const own = whole instanceof DressedMesh ? whole.parts : undefined;
    const drawn = new Map<number | 'inside', { color: Color; material: number }>();
    return new BreakingMesh(whole, particles, pieces, (part) => {
      let known = drawn.get(part);
      if (!known) {
        if (part !== 'inside' && own && !pieces.isReplaced) known = own[part]!;
        else if (part !== 'inside' || look === 'glass') {
          const color = own?.[0]?.color ?? particles.color;
          known = { color, material: this.#material(options.scale ? 'matte' : look, color) };
        } else {
          const { color } = insideMaterial(own ? { ...plain, color: own[0]!.color } : plain, body);
          known = { color, material: this.#material('matte', color) };
        }
        drawn.set(part, known);
      }
      return known;
    });
  }

  /** A body with a shape of its own. */
  #solid(body: BodyOptions, particles: Carrying, start: Frame, options: ActorOptions): Actor {
    const { spacing, color } = particles;
    if (!options.scale && 'mesh' in body.shape && body.shape.mesh.data?.finish?.materials) {
      return this.#dressedMesh(body, particles, start, options.skinner);
    }
    const material = this.#material(options.scale ? 'matte' : (body.look ?? 'glossy'), color);
    const mesh = placed(shapeMesh(body.shape, edgeFor(body.shape, spacing)), body);
    if (matterOf(body).isRigid) return new RigidMesh(particles, start, mesh, material, options.skinner);
    return options.points
      ? new SolidSurfels(particles, positionsOf(start, particles), mesh, material, options.points)
      : new SkinnedMesh(particles, start, refineMesh(mesh, spacing), material, options.skinner);
  }

  /** The picture's geometry in a frame. */
  show(frame: Frame): Geometry {
    const { meshes, balls } = this.parts(frame);
    return buildGeometry(meshes, balls, this.#materials);
  }

  /** What is in it. Surfaces that go from frame to frame come in the order of these. */
  parts(frame: Frame): { readonly meshes: readonly MeshPart[]; readonly balls: readonly BallsPart[] } {
    const meshes: MeshPart[] = [];
    const balls: BallsPart[] = [];
    for (const actor of this.#actors) actor.add(frame, meshes, balls);
    this.#liquids.add(frame, meshes, balls);
    return { meshes, balls };
  }

  #addLiquid(particles: Particles, look: Look | undefined, kept?: DrawnLiquid['kept']): void {
    const { spacing, color, scale } = particles;
    const own = this.#liquids.surfacer ? (look ?? 'glass') : look === 'matte' ? look : 'glossy';
    const drawn = scale ? 'matte' : own;
    const key = JSON.stringify([drawn, color, spacing, particles.colors ? particles.begin : undefined]);
    const same = this.#alike.get(key);
    if (same) {
      same.parts.push(particles);
      return;
    }
    const { liquids } = this.#liquids;
    const clear = { index: WATER, depth: LIQUID_DEPTH * spacing, rank: -liquids.length };
    const liquid: DrawnLiquid = { parts: [particles], material: this.#material(drawn, color, clear), kept };
    this.#alike.set(key, liquid);
    if (drawn === 'glass') liquids.push(liquid);
    else liquids.unshift(liquid);
  }

  /** A mesh with the materials of its file. */
  #dressedMesh(body: BodyOptions, particles: Carrying, start: Frame, skinner: Skinner): DressedMesh {
    const mesh = restMesh(body, particles.spacing, 1);
    const plain: ExportMaterial = { name: body.name, color: particles.color, roughness: COAT };
    const parts = mesh.parts.map(({ material: own, begin, end }) => {
      const { color, texture } = own ? dressed(plain, own, body) : plain;
      const material = this.#material(body.look ?? 'glossy', color, GLASS, texture && readTexture(texture));
      return { begin, end, color, material };
    });
    return new DressedMesh(particles, start, mesh, parts, matterOf(body).isRigid ? undefined : skinner);
  }

  #addWall(obstacle: ObstacleOptions, stage: Stage): void {
    const { look = 'matte' } = obstacle;
    const color = obstacle.color === undefined ? (look === 'glass' ? WHITE : WALL) : fromHex(obstacle.color);
    this.#actors.push(new Wall(obstacle, this.#obstacles, stage, this.#material(look, color), color));
  }

  #material(look: Look, color: Color, { index, depth, rank } = GLASS, texture?: Texture): number {
    this.#materials.push({ look, roughness: COAT, index, transmission: tint(color, depth), rank, texture });
    return this.#materials.length - 1;
  }
}

/** Where the body stands at the start. */
function placed(mesh: TriangleMesh, body: Parameters<typeof bodyPose>[0]): TriangleMesh {
  const positions = new Float64Array(mesh.positions.length);
  movePoints(bodyPose(body), mesh.positions, positions);
  return { positions, triangles: mesh.triangles };
}
