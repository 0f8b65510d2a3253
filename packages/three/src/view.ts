import type {
  BodyDescription,
  BrokenMesh,
  DisplayMesh,
  DisplayPart,
  LiquidMesh,
  ObstacleDescription,
  RemoteWorld,
  WorldDescription,
  WorldFrame,
} from 'phyxel/browser';
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
  MeshBasicMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  type Raycaster,
  Vector3,
} from 'three';
import { type ColorScale, colorMapTexture, colorShare, rangeUniform, usableRange } from './color-map.js';
import {
  boundGeometry,
  type DeformationUniforms,
  deformedMesh,
  geometryOf,
  noPlanes,
  partGeometry,
} from './deformed-mesh.js';
import { DeformedShape, framePlanes, matrixOf } from './deformed-shape.js';
import { FileMaterials } from './file-materials.js';
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

/** Faces where a body breaks are so much nearer to white, and rough. */
const LIGHTER = 0.3;
const INSIDE_ROUGHNESS = 0.9;

const ROUGHNESS = { matte: 0.65, glossy: 0.25 } as const;

/** Bodies by their meshes or by discs on these, liquids by triangles; or everything by its particles. */
export type Display = 'mesh' | 'surfels' | 'particles';

export interface ViewOptions {
  readonly display?: Display;
  /**
   * The material of a body, liquids included. `own` is the one of its mesh's file, made ready, if it has one: answer
   * that to keep it. Bodies with several materials ask for each. The default is `own`, or made from the colour.
   */
  readonly material?: (body: BodyDescription, color: Color, own?: MeshStandardMaterial) => MeshStandardMaterial;
  readonly obstacles?: boolean;
  /** Binds points to bodies, for surfels; that of the world when it is in a worker. */
  readonly bind?: RemoteWorld['bind'];
  /** Something is there that was not: draw again. */
  readonly onChange?: () => void;
}

interface ShownBody {
  readonly body: BodyDescription;
  readonly color: Color;
  /** Triangles of each of its materials. */
  mesh?: readonly Mesh[];
  /** Of its pieces, by the part of its mesh, and which state of them it is. */
  pieces?: { readonly parts: Map<number | 'inside', Mesh>; version: number };
  surfels?: readonly Mesh[];
  balls?: Mesh;
}

/** Shows these triangles of a body's mesh, as many as it has. */
function setTriangles({ body, mesh }: ShownBody, indices: Uint32Array): void {
  for (const [k, { begin, end }] of (mesh ? partsOf(body.mesh!) : []).entries()) {
    const index = mesh![k]!.geometry.getIndex()!;
    if (index.array.buffer === indices.buffer) continue;
    index.array = indices.subarray(begin, end);
    index.needsUpdate = true;
  }
}

/** Bodies, liquids and obstacles of a world: add it to any scene, and give it the frames. */
export class PhyxelView extends Group {
  readonly description: WorldDescription;
  readonly textures: ParticleTextures;
  readonly #uniforms: Required<DeformationUniforms>;
  readonly #bodies: ShownBody[];
  /** Triangles of each of their materials. */
  readonly #obstacles: (readonly Mesh[])[] = [];
  readonly #colorMap: DataTexture;
  readonly #options: ViewOptions;
  readonly #unsubscribe: (() => void) | undefined;
  /** Bodies whose surfels are made, or on their way. */
  readonly #binding = new Set<string>();
  readonly #liquids: Mesh[] = [];
  readonly #shapes = new Map<string, DeformedShape>();
  readonly #files: FileMaterials;
  /** Shows a quantity on the surfaces of what flows. */
  readonly #mapped: MeshStandardMaterial;
  #display: Display;
  #frame: WorldFrame | undefined;
  #range: readonly [number, number] | 'auto' = 'auto';
  #colorScale: ColorScale = 'linear';

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
    this.#files = new FileMaterials(() => options.onChange?.());
    this.#colorMap = colorMapTexture();
    this.#mapped = new MeshStandardMaterial({ map: this.#colorMap, roughness: 0.65 });
    this.#uniforms = {
      phyxelParticles: { value: this.textures.particles },
      phyxelAffines: { value: this.textures.affines },
      phyxelColorMap: { value: this.#colorMap },
      phyxelRange: { value: [0, 0] },
      phyxelLogarithmic: { value: 0 },
      phyxelPlanes: { value: noPlanes() },
      phyxelPlaneCount: { value: 0 },
    };
    const colors = bodyColors(description.bodies);
    this.#bodies = description.bodies.map((body, k) => ({ body, color: colors[k]! }));
    this.visible = false;
    if (options.obstacles !== false) this.#makeObstacles();
    this.#show();
    // A world that opens another scene sends frames of that.
    this.#unsubscribe =
      'bodies' in world
        ? undefined
        : world.on('frame', (frame) => frame.world === description.id && this.update(frame));
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

  /**
   * Is everything there that is to be shown? Surfels are bound in the worker first; meshes stand in for them. Pictures
   * of materials are decoded first; plain colours stand in for them.
   */
  get isReady(): boolean {
    const isBound = this.#bodies.every(({ body, surfels }) => !body.mesh || surfels !== undefined);
    return this.#files.isReady && (this.#display !== 'surfels' || isBound);
  }

  /** Values that the ends of the colour map stand for; 'auto' for those of the frame. */
  set range(range: readonly [number, number] | 'auto') {
    this.#range = range;
    this.#color();
  }

  /** Are colours spread evenly over the values, or over their logarithms? */
  set colorScale(scale: ColorScale) {
    this.#colorScale = scale;
    this.#color();
  }

  /** Range of the colours that are shown; undefined without a quantity. Values beyond have the colours of its ends. */
  get shownRange(): readonly [number, number] | undefined {
    if (!this.#frame?.quantity) return undefined;
    return usableRange(this.#range === 'auto' ? this.#frame.range : this.#range, this.#colorScale);
  }

  bodyColor(name: string): Color | undefined {
    return this.#bodies.find(({ body }) => body.name === name)?.color;
  }

  /** Shows a frame. Only its particles go to the graphics card, and the triangles of liquids. */
  update(frame: WorldFrame): void {
    const wereBroken = this.#frame?.broken?.length;
    this.#frame = frame;
    this.textures.update(frame);
    const planes = framePlanes(this.description, frame);
    for (const [k, plane] of planes.entries()) this.#uniforms.phyxelPlanes.value[k]!.copy(plane);
    this.#uniforms.phyxelPlaneCount.value = planes.length;
    this.visible = true;
    this.#color();
    for (const [k, meshes] of this.#obstacles.entries()) {
      for (const mesh of meshes) mesh.matrix.copy(matrixOf(frame.obstacles, 12 * k));
    }
    this.#updateLiquids();
    const changes = this.#bodies.some(({ body }) => body.flows || body.melts);
    if (changes || wereBroken || frame.broken?.length) this.#show();
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
    const position = new Vector3();
    for (let i = begin; i < end; i++) {
      if (at[4 * i]! > -1e6) target.expandByPoint(position.fromArray(at, 4 * i));
    }
    return target.isEmpty() ? target : target.expandByScalar(spacing / 2);
  }

  /** The same with obstacles, where they are now. Planes have no end and do not count. */
  contentBox(target = new Box3()): Box3 {
    this.particleBox(target);
    for (const mesh of this.#obstacles.flat()) {
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
    this.#files.dispose();
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
      const remains = this.#frame?.remains?.find((mesh) => mesh.body === body.name);
      const broken = this.#frame?.broken?.find((pieces) => pieces.body === body.name);
      const isBroken = broken !== undefined;
      const asPieces = triangles && broken?.mesh !== undefined;
      const asMesh = triangles && !isBroken && body.mesh !== undefined && !(asSurfels && shown.surfels && !remains);
      const asBalls =
        !triangles || (isBroken && !asPieces) || (body.flows && this.#frame !== undefined && !this.#frame.liquids);
      if (asMesh) this.#makeMesh(shown);
      if (body.melts) setTriangles(shown, remains?.indices ?? body.mesh!.indices);
      if (asPieces) this.#makePieces(shown, broken);
      if (asBalls) this.#makeBalls(shown);
      for (const mesh of shown.mesh ?? []) mesh.visible = asMesh;
      for (const mesh of shown.pieces?.parts.values() ?? []) mesh.visible = asPieces && mesh.userData.isPart;
      for (const surfels of shown.surfels ?? []) surfels.visible = asSurfels && !remains && !isBroken;
      if (shown.balls) shown.balls.visible = asBalls;
    }
    for (const liquid of this.#liquids) liquid.visible = triangles && this.#frame?.liquids !== undefined;
  }

  #makeMesh(shown: ShownBody): void {
    const { body } = shown;
    if (shown.mesh || !body.mesh) return;
    const whole = boundGeometry(body.mesh);
    const shape = this.#shapeOf(body);
    shown.mesh = partsOf(body.mesh).map((part) => {
      const material = this.#material(shown, part);
      const geometry = partGeometry(whole, part.begin, part.end);
      return deformedMesh(geometry, material, this.#uniforms, body.begin, body.affineBegin!, shape);
    });
    this.#add(body, ...shown.mesh);
  }

  /** The pieces of a body: what was outside in its materials, and faces where it broke. */
  #makePieces(shown: ShownBody, { version, mesh }: BrokenMesh): void {
    const { body } = shown;
    shown.pieces ??= { parts: new Map(), version: -1 };
    const { parts } = shown.pieces;
    if (version === shown.pieces.version || !mesh) return;
    shown.pieces.version = version;
    for (const old of parts.values()) {
      old.geometry.dispose();
      old.userData.isPart = false;
    }
    const whole = boundGeometry(mesh);
    const shape = new DeformedShape(mesh, this.#uniforms, body.affineBegin!);
    for (const { part, begin, end } of mesh.pieceParts) {
      const geometry = partGeometry(whole, begin, end);
      const made = parts.get(part);
      if (made) made.geometry = geometry;
      else {
        const material =
          part === 'inside'
            ? this.#insideMaterial(shown, mesh.insideColor)
            : this.#material(shown, partsOf(body.mesh!)[part]);
        const first = deformedMesh(geometry, material, this.#uniforms, body.begin, body.affineBegin!, shape);
        parts.set(part, first);
        this.#add(body, first);
      }
      const own = parts.get(part)!;
      own.userData.isPart = true;
      own.raycast = (raycaster, intersections) => {
        if (own.visible) shape.raycast(own, geometry.index!, raycaster, intersections);
      };
    }
  }

  /** Of faces where a body breaks: as clear as it is, otherwise in a colour of their own. */
  #insideMaterial(shown: ShownBody, insideColor: string | undefined): MeshStandardMaterial {
    const outside = this.#material(shown, partsOf(shown.body.mesh!)[0]);
    if (shown.body.look === 'glass') return outside;
    const color = insideColor === undefined ? outside.color.clone().lerp(new Color('white'), LIGHTER) : insideColor;
    return new MeshStandardMaterial({ color, roughness: INSIDE_ROUGHNESS });
  }

  async #makeSurfels(shown: ShownBody): Promise<void> {
    const { bind } = this.#options;
    const { body } = shown;
    if (this.#binding.has(body.name) || !bind || !body.mesh) return;
    this.#binding.add(body.name);
    const distance = SURFELS * body.spacing;
    const range = { first: body.begin, firstAffine: body.affineBegin!, distance };
    const shape = this.#shapeOf(body);
    const made = partsOf(body.mesh).map(async (part) => {
      const indices = body.mesh!.indices.subarray(part.begin, part.end);
      const { cuts, ...sampled } = sampleSurface({ ...body.mesh!, indices }, distance);
      const points = await bind(body.name, sampled);
      const surfels = surfelMesh(points, cuts, this.#material(shown, part), this.#uniforms, range);
      const index = new BufferAttribute(indices, 1);
      surfels.raycast = (raycaster, intersections) => {
        if (surfels.visible) shape.raycast(surfels, index, raycaster, intersections);
      };
      return surfels;
    });
    shown.surfels = await Promise.all(made);
    this.#add(body, ...shown.surfels);
    this.#show();
    this.#options.onChange?.();
  }

  /** Where rays meet a body. */
  #shapeOf(body: BodyDescription): DeformedShape {
    let shape = this.#shapes.get(body.name);
    if (!shape) {
      shape = new DeformedShape(body.mesh!, this.#uniforms, body.affineBegin!);
      this.#shapes.set(body.name, shape);
    }
    return shape;
  }

  #add({ name }: BodyDescription, ...meshes: readonly Mesh[]): void {
    for (const mesh of meshes) {
      mesh.name = name;
      this.add(mesh);
    }
  }

  #makeBalls(shown: ShownBody): void {
    if (shown.balls) return;
    const { begin, end, spacing } = shown.body;
    const material = new MeshStandardMaterial({ color: shown.color, roughness: 0.6 });
    const range = { first: begin, count: end - begin, radius: BALL * spacing };
    shown.balls = particleSpheres(material, this.#uniforms, range);
    this.#add(shown.body, shown.balls);
  }

  /** Of a part of a mesh, or of a liquid. A colour that the scene names is stronger than what a file says. */
  #material({ body, color }: ShownBody, part?: DisplayPart): MeshStandardMaterial {
    const own = this.#ownMaterial(body, part);
    if (this.#options.material) return this.#options.material(body, color, own);
    const look = body.look ?? (body.isFluid ? 'glass' : undefined);
    // What floats or sinks in a liquid is to be seen.
    return own ?? lookMaterial(look, color, this.description.bodies.length > 1 ? 0.5 : 0.82);
  }

  #ownMaterial({ color, look, mesh }: BodyDescription, part?: DisplayPart): MeshStandardMaterial | undefined {
    const hasColors = mesh?.colors !== undefined;
    if (color !== undefined || look === 'glass' || !(part?.material || hasColors)) return undefined;
    const material = this.#files.make(part?.material ?? { name: '' }, hasColors);
    if (look) material.roughness = ROUGHNESS[look];
    return material;
  }

  #updateLiquids(): void {
    for (const [k, triangles] of (this.#frame?.liquids ?? []).entries()) {
      this.#liquids[k] ??= this.#makeLiquid(triangles);
      const { geometry } = this.#liquids[k];
      // Sizes differ from frame to frame; old buffers are given back.
      geometry.dispose();
      // Found anew when a ray asks.
      geometry.boundingSphere = geometry.boundingBox = null;
      geometry.setAttribute('position', new BufferAttribute(triangles.positions, 3));
      geometry.setAttribute('normal', new BufferAttribute(triangles.normals, 3));
      if (triangles.colors) geometry.setAttribute('color', new BufferAttribute(triangles.colors, 3));
      geometry.setIndex(new BufferAttribute(triangles.indices, 1));
    }
    this.#colorLiquids();
  }

  /** Values become positions on the map of colours. */
  #colorLiquids(): void {
    const range = this.shownRange;
    for (const [k, { values }] of (this.#frame?.liquids ?? []).entries()) {
      const mesh = this.#liquids[k];
      if (!mesh) continue;
      mesh.material = values && range ? this.#mapped : (mesh.userData.own as MeshStandardMaterial);
      if (!values || !range) continue;
      const uniform = rangeUniform(range, this.#colorScale);
      const positions = new Float32Array(2 * values.length).fill(0.5);
      // Beyond its ends the map would begin again.
      for (const [v, value] of values.entries())
        positions[2 * v] = Math.min(1, Math.max(0, colorShare(value, uniform, this.#colorScale)));
      mesh.geometry.setAttribute('uv', new BufferAttribute(positions, 2));
    }
  }

  #makeLiquid({ bodies, colors }: LiquidMesh): Mesh {
    const shown = this.#bodies.find(({ body }) => body.name === bodies[0])!;
    const geometry = new BufferGeometry();
    // Made first: of two that are equally far away, three.js draws the older one first.
    const front = new Mesh(geometry, new MeshBasicMaterial({ transparent: true, colorWrite: false }));
    const mesh = new Mesh(geometry, this.#material(shown));
    if (colors) {
      mesh.material.vertexColors = true;
      mesh.material.color.set('white');
    }
    mesh.userData.own = mesh.material;
    mesh.name = bodies.join(', ');
    mesh.frustumCulled = front.frustumCulled = false;
    mesh.castShadow = true;
    // Light goes through what is clear: shadows on its surface, its own among them, would be dark blotches.
    mesh.receiveShadow = !mesh.material.transparent;
    if (mesh.material.transparent) {
      // Only what is in front: where the surface is behind itself, both would be seen or not by the order of triangles.
      front.raycast = () => {};
      mesh.add(front);
    }
    mesh.raycast = (raycaster, intersections) => {
      if (mesh.visible) Mesh.prototype.raycast.call(mesh, raycaster, intersections);
    };
    this.add(mesh);
    return mesh;
  }

  #makeObstacles(): void {
    for (const [k, obstacle] of this.description.obstacles.entries()) {
      const { mesh, name, isClear } = obstacle;
      const whole = mesh && geometryOf(mesh);
      this.#obstacles[k] = (mesh ? partsOf(mesh) : []).map((part) => {
        const shown = new Mesh(partGeometry(whole!, part.begin, part.end), this.#obstacleMaterial(obstacle, part));
        shown.name = name;
        shown.matrixAutoUpdate = false;
        shown.castShadow = shown.receiveShadow = !isClear;
        // Before the liquid in it, which touches it: its depth would hide glass here and there, in blotches.
        if (isClear) shown.renderOrder = -1;
        return shown;
      });
      for (const shown of this.#obstacles[k]) this.add(shown);
    }
  }

  #obstacleMaterial({ color, isClear, mesh }: ObstacleDescription, part: DisplayPart): MeshStandardMaterial {
    if (isClear) return clearMaterial(color);
    const hasColors = mesh?.colors !== undefined;
    if (color === undefined && (part.material || hasColors)) {
      return this.#files.make(part.material ?? { name: '' }, hasColors);
    }
    return new MeshStandardMaterial({ color: color ?? OBSTACLE, roughness: 0.8, side: DoubleSide });
  }

  #color(): void {
    const range = this.shownRange;
    this.#uniforms.phyxelRange.value = range ? rangeUniform(range, this.#colorScale) : [0, 0];
    this.#uniforms.phyxelLogarithmic.value = this.#colorScale === 'logarithmic' ? 1 : 0;
    this.#colorLiquids();
  }
}

/** The colours that bodies are shown in: their own, or of the palette. */
export function bodyColors(bodies: readonly BodyDescription[]): Color[] {
  let liquids = 0;
  return bodies.map(({ color, isFluid }, k) => {
    if (isFluid) return new Color(color ?? LIQUIDS[liquids++ % LIQUIDS.length]);
    return new Color(color ?? PALETTE[k % PALETTE.length]);
  });
}

function lookMaterial(look: BodyDescription['look'], color: Color, opacity: number): MeshStandardMaterial {
  if (look === 'glass') return liquidMaterial(color, opacity);
  return new MeshStandardMaterial({ color, roughness: ROUGHNESS[look ?? 'matte'], metalness: 0 });
}

/** Parts of a mesh that has one without them. */
function partsOf({ parts, indices }: DisplayMesh): readonly DisplayPart[] {
  return parts ?? [{ begin: 0, end: indices.length }];
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
