import type { BodyDescription, DisplayMesh, RemoteWorld, WorldDescription, WorldFrame } from 'phyxel/browser';
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  type DataTexture,
  DoubleSide,
  Group,
  type Material,
  Matrix4,
  Mesh,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  type Raycaster,
  Vector3,
} from 'three';
import { colorMapTexture } from './color-map.js';
import { boundGeometry, type DeformationUniforms, deformedMesh } from './deformed-mesh.js';
import { particleSpheres } from './particle-spheres.js';
import { ParticleTextures } from './particle-textures.js';
import { type Pick, pickParticle } from './picking.js';
import { sampleSurface, surfelMesh } from './surfels.js';

/** Colours of bodies that name none, in their order; and of liquids. */
const PALETTE = ['#e2703a', '#2a9d8f', '#e9b949', '#5677b8', '#c9485b', '#83a95c', '#8c6bb1', '#3aa5c2'];
const LIQUIDS = ['#2f86c9', '#e8793a', '#8c6bb1', '#83a95c'];
const OBSTACLE = '#a3a8af';
/** Radius of the ball of a particle, in spacings: balls of a lattice leave no gaps. */
const BALL = 0.62;
/** Distance of neighbouring surfels, in spacings. */
const SURFELS = 0.25;

/** Bodies by their meshes or by discs on these, liquids by triangles; or everything by its particles. */
export type Display = 'mesh' | 'surfels' | 'particles';

export interface ViewOptions {
  readonly display?: Display;
  /** The material of a body, liquids included; the default is made from its colour. */
  readonly material?: (body: BodyDescription, color: Color) => MeshStandardMaterial;
  readonly obstacles?: boolean;
  /** Binds points to bodies, for surfels; that of the world when it is in a worker. */
  readonly bind?: RemoteWorld['bind'];
  /** Something is there that was not: draw again. */
  readonly onChange?: () => void;
}

interface ShownBody {
  readonly body: BodyDescription;
  readonly color: Color;
  mesh?: Mesh;
  surfels?: Mesh;
  balls?: Mesh;
}

/** Bodies, liquids and obstacles of a world: add it to any scene, and give it the frames. */
export class PhyxelView extends Group {
  readonly description: WorldDescription;
  readonly textures: ParticleTextures;
  readonly #uniforms: DeformationUniforms;
  readonly #bodies: ShownBody[];
  readonly #obstacles: Mesh[] = [];
  readonly #colorMap: DataTexture;
  readonly #options: ViewOptions;
  readonly #unsubscribe: (() => void) | undefined;
  /** Bodies whose surfels are made, or on their way. */
  readonly #binding = new Set<string>();
  readonly #liquids: Mesh[] = [];
  /** Shows a quantity on the surfaces of what flows. */
  readonly #mapped: MeshStandardMaterial;
  #display: Display;
  #frame: WorldFrame | undefined;
  #range: readonly [number, number] | 'auto' = 'auto';

  /** A world in a worker shows itself; frames of other worlds are given to `update`. */
  constructor(world: RemoteWorld | WorldDescription, options: ViewOptions = {}) {
    super();
    this.name = 'phyxel';
    const description = 'bodies' in world ? world : world.description;
    if (!description) throw new RangeError('open a scene before it is shown: await world.open(...)');
    this.description = description;
    this.#options =
      'bodies' in world ? options : { bind: (body: string, mesh: DisplayMesh) => world.bind(body, mesh), ...options };
    this.#display = options.display ?? 'mesh';
    const affines = description.bodies.reduce(
      (sum, { affineBegin, begin, end }) => sum + (affineBegin === undefined ? 0 : end - begin),
      0,
    );
    this.textures = new ParticleTextures(description.particles, affines);
    this.#colorMap = colorMapTexture();
    this.#mapped = new MeshStandardMaterial({ map: this.#colorMap, roughness: 0.65 });
    this.#uniforms = {
      phyxelParticles: { value: this.textures.particles },
      phyxelAffines: { value: this.textures.affines },
      phyxelColorMap: { value: this.#colorMap },
      phyxelRange: { value: [0, 0] },
    };
    const colors = bodyColors(description.bodies);
    this.#bodies = description.bodies.map((body, k) => ({ body, color: colors[k]! }));
    this.visible = false;
    if (options.obstacles !== false) this.#makeObstacles();
    this.#show();
    this.#unsubscribe = 'bodies' in world ? undefined : world.on('frame', (frame) => this.update(frame));
  }

  /** What is shown now. */
  get frame(): WorldFrame | undefined {
    return this.#frame;
  }

  get display(): Display {
    return this.#display;
  }

  set display(display: Display) {
    this.#display = display;
    this.#show();
  }

  /** Is everything there that is to be shown? Surfels are bound in the worker first; meshes stand in for them. */
  get isReady(): boolean {
    return (
      this.#display !== 'surfels' || this.#bodies.every(({ body, surfels }) => !body.mesh || surfels !== undefined)
    );
  }

  /** Values that the ends of the colour map stand for; 'auto' for those of the frame. */
  set range(range: readonly [number, number] | 'auto') {
    this.#range = range;
    this.#color();
  }

  /** Range of the colours that are shown; undefined without a quantity. */
  get shownRange(): readonly [number, number] | undefined {
    if (!this.#frame?.quantity) return undefined;
    return this.#range === 'auto' ? this.#frame.range : this.#range;
  }

  bodyColor(name: string): Color | undefined {
    return this.#bodies.find(({ body }) => body.name === name)?.color;
  }

  /** Shows a frame. Only its particles go to the graphics card, and the triangles of liquids. */
  update(frame: WorldFrame): void {
    this.#frame = frame;
    this.textures.update(frame);
    this.visible = true;
    this.#color();
    for (const [k, mesh] of this.#obstacles.entries()) {
      if (mesh) mesh.matrix.copy(matrixOf(frame.obstacles, 12 * k));
    }
    this.#updateLiquids();
  }

  /** The first particle under the pointer, through the camera that the raycaster was set from. */
  pick(raycaster: Raycaster, bodies: readonly BodyDescription[] = this.description.bodies): Pick | undefined {
    if (!this.#frame) return undefined;
    // Ask in the world's own coordinates, wherever this group stands.
    this.updateWorldMatrix(true, false);
    const inverse = new Matrix4().copy(this.matrixWorld).invert();
    const picked = pickParticle(raycaster.ray.clone().applyMatrix4(inverse), this.#frame, bodies);
    return picked && { ...picked, point: picked.point.applyMatrix4(this.matrixWorld) };
  }

  /** Box around all particles, in the world's own coordinates. */
  particleBox(target = new Box3()): Box3 {
    target.makeEmpty();
    for (const body of this.description.bodies) target.union(this.bodyBox(body));
    return target;
  }

  /** Box around the particles of one body. */
  bodyBox({ begin, end, spacing }: BodyDescription, target = new Box3()): Box3 {
    target.makeEmpty();
    const at = this.#frame?.particles;
    if (!at) return target;
    const place = new Vector3();
    for (let i = begin; i < end; i++) {
      if (at[4 * i]! > -1e6) target.expandByPoint(place.fromArray(at, 4 * i));
    }
    return target.isEmpty() ? target : target.expandByScalar(spacing / 2);
  }

  /** The same with obstacles, where they are now. Planes have no end and do not count. */
  contentBox(target = new Box3()): Box3 {
    this.particleBox(target);
    for (const mesh of this.#obstacles) {
      if (!mesh) continue;
      mesh.geometry.computeBoundingBox();
      target.union(mesh.geometry.boundingBox!.clone().applyMatrix4(mesh.matrix));
    }
    return target;
  }

  override dispose(): void {
    this.#unsubscribe?.();
    this.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.geometry.dispose();
      const { material: shown, customDepthMaterial, customDistanceMaterial, userData } = object;
      for (const material of [
        shown,
        userData.own as Material | undefined,
        customDepthMaterial,
        customDistanceMaterial,
      ].flat())
        material?.dispose();
    });
    this.#mapped.dispose();
    this.textures.dispose();
    this.#colorMap.dispose();
    this.removeFromParent();
  }

  /** Makes what is to be shown and is not there yet. */
  #show(): void {
    const triangles = this.#display !== 'particles';
    for (const shown of this.#bodies) {
      const { body } = shown;
      const asSurfels = this.#display === 'surfels' && body.mesh !== undefined;
      if (asSurfels) void this.#makeSurfels(shown);
      // The mesh stands in until surfels are bound.
      const asMesh = triangles && body.mesh !== undefined && !(asSurfels && shown.surfels);
      const asBalls = !triangles || (body.flows && this.#frame !== undefined && !this.#frame.liquids);
      if (asMesh) this.#makeMesh(shown);
      if (asBalls) this.#makeBalls(shown);
      if (shown.mesh) shown.mesh.visible = asMesh;
      if (shown.surfels) shown.surfels.visible = asSurfels;
      if (shown.balls) shown.balls.visible = asBalls;
    }
    for (const liquid of this.#liquids) liquid.visible = triangles && this.#frame?.liquids !== undefined;
  }

  #makeMesh(shown: ShownBody): void {
    const { body, color } = shown;
    if (shown.mesh || !body.mesh) return;
    const material = this.#material(body, color);
    shown.mesh = deformedMesh(boundGeometry(body.mesh), material, this.#uniforms, body.begin, body.affineBegin!);
    shown.mesh.name = body.name;
    this.add(shown.mesh);
  }

  async #makeSurfels(shown: ShownBody): Promise<void> {
    const { bind } = this.#options;
    const { body, color } = shown;
    if (this.#binding.has(body.name) || !bind || !body.mesh) return;
    this.#binding.add(body.name);
    const distance = SURFELS * body.spacing;
    const { cuts, ...sampled } = sampleSurface(body.mesh, distance);
    const points = await bind(body.name, sampled);
    const place = { first: body.begin, firstAffine: body.affineBegin!, distance };
    shown.surfels = surfelMesh(points, cuts, this.#material(body, color), this.#uniforms, place);
    shown.surfels.name = body.name;
    this.add(shown.surfels);
    this.#show();
    this.#options.onChange?.();
  }

  #makeBalls(shown: ShownBody): void {
    if (shown.balls) return;
    const { begin, end, spacing } = shown.body;
    const material = new MeshStandardMaterial({ color: shown.color, roughness: 0.6 });
    const place = { first: begin, count: end - begin, radius: BALL * spacing };
    shown.balls = particleSpheres(material, this.#uniforms, place);
    shown.balls.name = shown.body.name;
    this.add(shown.balls);
  }

  #material(body: BodyDescription, color: Color): MeshStandardMaterial {
    if (this.#options.material) return this.#options.material(body, color);
    const look = body.look ?? (body.kind === 'fluid' ? 'glass' : undefined);
    // What floats or sinks in a liquid is to be seen.
    return lookMaterial(look, color, this.description.bodies.length > 1 ? 0.5 : 0.82);
  }

  #updateLiquids(): void {
    for (const [k, triangles] of (this.#frame?.liquids ?? []).entries()) {
      this.#liquids[k] ??= this.#makeLiquid(triangles.bodies);
      const { geometry } = this.#liquids[k];
      // Sizes differ from frame to frame; old buffers are given back.
      geometry.dispose();
      geometry.setAttribute('position', new BufferAttribute(triangles.positions, 3));
      geometry.setAttribute('normal', new BufferAttribute(triangles.normals, 3));
      geometry.setIndex(new BufferAttribute(triangles.indices, 1));
    }
    this.#colorLiquids();
    if (this.#bodies.some(({ body }) => body.flows)) this.#show();
  }

  /** Values become places on the map of colours. */
  #colorLiquids(): void {
    const range = this.shownRange;
    for (const [k, { values }] of (this.#frame?.liquids ?? []).entries()) {
      const mesh = this.#liquids[k];
      if (!mesh) continue;
      mesh.material = values && range ? this.#mapped : (mesh.userData.own as MeshStandardMaterial);
      if (!values || !range) continue;
      const [low, high] = range;
      const places = new Float32Array(2 * values.length).fill(0.5);
      for (const [v, value] of values.entries()) places[2 * v] = high > low ? (value - low) / (high - low) : 0;
      mesh.geometry.setAttribute('uv', new BufferAttribute(places, 2));
    }
  }

  #makeLiquid(bodies: readonly string[]): Mesh {
    const { body, color } = this.#bodies.find((shown) => shown.body.name === bodies[0])!;
    const mesh = new Mesh(new BufferGeometry(), this.#material(body, color));
    mesh.userData.own = mesh.material;
    mesh.name = bodies.join(', ');
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.raycast = () => {};
    this.add(mesh);
    return mesh;
  }

  #makeObstacles(): void {
    for (const [k, { mesh, name, color, isClear }] of this.description.obstacles.entries()) {
      if (!mesh) continue;
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
      geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
      geometry.setIndex(new BufferAttribute(mesh.indices, 1));
      const shown = new Mesh(
        geometry,
        isClear
          ? clearMaterial(color)
          : new MeshStandardMaterial({ color: color ?? OBSTACLE, roughness: 0.8, side: DoubleSide }),
      );
      shown.name = name;
      shown.matrixAutoUpdate = false;
      shown.castShadow = shown.receiveShadow = !isClear;
      // After what is in them, whichever was made first.
      if (isClear) shown.renderOrder = 1;
      this.#obstacles[k] = shown;
      this.add(shown);
    }
  }

  #color(): void {
    const range = this.shownRange;
    this.#uniforms.phyxelRange.value = range
      ? [range[0], range[1] > range[0] ? 1 / (range[1] - range[0]) : 1e-9]
      : [0, 0];
    this.#colorLiquids();
  }
}

/** The colours that bodies are shown in: their own, or of the palette. */
export function bodyColors(bodies: readonly BodyDescription[]): Color[] {
  let liquids = 0;
  return bodies.map(({ color, kind }, k) => {
    if (kind === 'fluid') return new Color(color ?? LIQUIDS[liquids++ % LIQUIDS.length]);
    return new Color(color ?? PALETTE[k % PALETTE.length]);
  });
}

function lookMaterial(look: BodyDescription['look'], color: Color, opacity: number): MeshStandardMaterial {
  if (look === 'glass') return liquidMaterial(color, opacity);
  return new MeshStandardMaterial({ color, roughness: look === 'glossy' ? 0.25 : 0.65, metalness: 0 });
}

function liquidMaterial(color: Color, opacity: number): MeshStandardMaterial {
  return new MeshPhysicalMaterial({
    color,
    roughness: 0.08,
    transparent: true,
    opacity,
    ior: 1.33,
    clearcoat: 0.6,
  });
}

/** A vessel: what is in it is seen. */
function clearMaterial(color = '#dfe8f0'): MeshStandardMaterial {
  const look = { transparent: true, opacity: 0.16, depthWrite: false, side: DoubleSide };
  return new MeshStandardMaterial({ color, roughness: 0.1, ...look });
}

/** Three rows of an affine map. */
function matrixOf(rows: Float32Array, at: number): Matrix4 {
  const r = (k: number) => rows[at + k]!;
  return new Matrix4().set(r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), r(9), r(10), r(11), 0, 0, 0, 1);
}
