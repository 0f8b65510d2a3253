/** The picture: camera, light, ground, and a hand that follows the pointer. */
import type { PhyxelView, Pick } from '@phyxel/three';
import {
  type Box3,
  CircleGeometry,
  Color,
  DirectionalLight,
  Fog,
  GridHelper,
  type Group,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { placeholder } from './placeholder.js';
import { clearView, colorWalls, disposeWalls } from './walls.js';

/** A brush is told of what it meets at most so often [ms]. */
const BRUSH_INTERVAL = 60;
/** Width and height of the picture that only warms up [pixels]. */
const WARM_UP_SIZE = 16;
/** Pixels along each side of the first picture, as a share of what comes next, where the processor draws them. */
const FIRST_SHARE = 0.5;
/** Cells of the grid along each side. */
const GRID_CELLS = 60;
/** Longest that somebody waits for a picture: pages that nobody sees draw none [ms]. */
const PATIENCE = 2000;

/** What is framed fills this share of the height or width. */
const FILL = 0.8;
/** The view widens by itself when something is farther out than this, in radii of what was framed; and up to so many. */
const OUTSIDE = 1.08;
const WIDEST = 3;
/** Share of the rest by which it widens with every frame. */
const GENTLY = 0.15;

export interface Colors {
  readonly background: string;
  readonly ground: string;
  readonly grid: string;
  readonly glass: string;
}

/**
 * `plain` leaves out shadows and smooth edges, which take half the time of a picture where there is no graphics card.
 */
export type Quality = 'plain' | 'full';

export interface Hand {
  move(target: readonly [number, number, number]): void;
  release(): void;
}

export interface ViewportEvents {
  /** A body was gripped; the answer follows the pointer, if it can be held. A brush is told of every body it meets. */
  grab(pick: Pick): Hand | 'brush' | undefined;
  brush(pick: Pick): void;
  select(body: string | undefined): void;
  drawn(milliseconds: number): void;
}

export class Viewport {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 200);
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #controls: OrbitControls;
  readonly #sun = new DirectionalLight('#fff4e4', 2.3);
  readonly #sky = new HemisphereLight('#e6edff', '#565049', 1.5);
  readonly #ground: Mesh<CircleGeometry, MeshLambertMaterial>;
  readonly #raycaster = new Raycaster();
  readonly #events: ViewportEvents;
  /** Stays the same: the program of another one would be linked anew. */
  readonly #grid = new GridHelper(GRID_CELLS, GRID_CELLS, '#fff', '#fff');
  #colors: Colors = { background: '#14171c', ground: '#1f242b', grid: '#2f3742', glass: '#c8d6e6' };
  #walls: readonly (Group | undefined)[] = [];
  /** What was framed, until somebody moves the camera. */
  #framed: Sphere | undefined;
  /** Radius of what was framed when the scene was opened. */
  #firstRadius = 1;
  #view: PhyxelView | undefined;
  readonly #retired: PhyxelView[] = [];
  #hand: { readonly hand: Hand; readonly plane: Plane; readonly pointer: number } | undefined;
  /** Pointer of the brush, and when it was last told of something [ms]. */
  #brush: number | undefined;
  #brushed = 0;
  #pressed: { readonly x: number; readonly y: number } | undefined;
  #scheduled = false;
  /** Nothing is drawn before there is something to see. */
  #isAwake = false;
  #radius = 1;
  readonly #inSoftware: boolean;
  /** Share of the pixels along each side that are drawn. */
  #share = 1;

  constructor(canvas: HTMLCanvasElement, events: ViewportEvents, quality: Quality) {
    this.canvas = canvas;
    this.#events = events;
    const { context, plain } = openContext(canvas, quality);
    this.#renderer = new WebGLRenderer({ canvas, context, ...attributesFor(plain) });
    this.#renderer.shadowMap.enabled = !plain;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.toneMappingExposure = 1;
    this.#sun.castShadow = true;
    this.#inSoftware = drawsInSoftware(context);
    this.#sun.shadow.mapSize.setScalar(this.#inSoftware ? 512 : 1024);
    this.#sun.shadow.bias = -0.0004;
    this.#sun.shadow.normalBias = 0.01;
    // Behind what stands on it: undersides are seen through glass.
    const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    this.#ground = new Mesh(new CircleGeometry(1, 96), new MeshLambertMaterial(behind));
    this.#ground.rotation.x = -Math.PI / 2;
    this.#ground.receiveShadow = true;
    this.#scene.add(this.#sun, this.#sun.target, this.#sky, this.#ground, this.#grid);
    this.#controls = new OrbitControls(this.camera, canvas);
    this.#controls.enableDamping = false;
    this.#controls.maxPolarAngle = 0.52 * Math.PI;
    this.#controls.addEventListener('change', () => this.draw());
    this.#controls.addEventListener('start', () => {
      this.#framed = undefined;
    });
    // Before the controls see them: a grip is no orbit.
    canvas.addEventListener('pointerdown', (event) => this.#press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#lift(event));
    canvas.addEventListener('pointercancel', (event) => this.#lift(event));
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement!);
    this.camera.position.set(0.9, 0.7, 1.7);
    this.#controls.target.set(0, 0.2, 0);
    this.#controls.update();
    this.#warmUp();
  }

  /**
   * Makes the programs of the first picture while the worker opens its scene: by one of a placeholder, which is small
   * because the processor may have to draw it. Lights are told to the renderer before: the shadows of its very first
   * picture would otherwise have programs for none, and others for the next.
   */
  #warmUp(): void {
    this.canvas.style.visibility = 'hidden';
    this.show(placeholder(), 0);
    this.#dress();
    this.#setSize(WARM_UP_SIZE, WARM_UP_SIZE);
    this.#renderer.compile(this.#scene, this.camera);
    this.drawNow();
  }

  /**
   * Draws from now on; answers whether it did not before. The first picture comes soon rather than sharp where the
   * processor draws it.
   */
  wake(): boolean {
    if (this.#isAwake) return false;
    this.#isAwake = true;
    this.canvas.style.visibility = '';
    if (this.#inSoftware) this.#share = FIRST_SHARE;
    this.#resize();
    return true;
  }

  /** Draws with all pixels from now on. */
  sharpen(): void {
    if (this.#share === 1) return;
    this.#share = 1;
    this.#resize();
  }

  /** Shows another world. `floor` is the height of the ground; undefined for none. */
  show(view: PhyxelView, floor: number | undefined, walls: readonly (Group | undefined)[] = []): void {
    this.release();
    disposeWalls(this.#walls);
    this.#walls = walls;
    colorWalls(walls, this.#colors.glass);
    for (const wall of walls) if (wall) this.#scene.add(wall);
    if (this.#view) {
      this.#view.removeFromParent();
      this.#retired.push(this.#view);
    }
    this.#view = view;
    this.#scene.add(view);
    this.#ground.visible = floor !== undefined;
    this.#ground.position.y = floor ?? 0;
    this.draw();
  }

  set colors(colors: Colors) {
    this.#colors = colors;
    colorWalls(this.#walls, colors.glass);
    this.#dress();
    this.draw();
  }

  /** Looks at a box from the usual side, or from where the camera is. */
  frame(box: Box3, { keepSide = false } = {}): void {
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new Sphere());
    sphere.radius = Math.max(sphere.radius, 1e-3);
    const direction = keepSide ? this.#side() : new Vector3(0.55, 0.42, 1).normalize();
    this.#radius = sphere.radius;
    this.#look(sphere.center, direction, this.#distanceFor(sphere.radius));
    this.#light(sphere);
    this.#dress();
    // What somebody went to stays in the picture.
    this.#framed = keepSide ? undefined : sphere;
    if (!keepSide) this.#firstRadius = sphere.radius;
    this.draw();
  }

  /** From what is looked at towards the camera. */
  #side(): Vector3 {
    return this.camera.position.clone().sub(this.#controls.target).normalize();
  }

  #distanceFor(radius: number): number {
    const upright = Math.min(1, this.camera.aspect);
    return radius / FILL / Math.sin((this.camera.fov * Math.PI) / 360) / upright;
  }

  #look(target: Vector3, direction: Vector3, distance: number): void {
    this.#controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.#controls.update();
  }

  /**
   * Goes back until a box is seen, while nobody has moved the camera or holds something. What flies off is left behind
   * at last.
   */
  widen(box: Box3): void {
    const framed = this.#framed;
    if (!framed || this.#hand || box.isEmpty()) return;
    const reach = (axis: 'x' | 'y' | 'z') =>
      Math.max(framed.center[axis] - box.min[axis], box.max[axis] - framed.center[axis]);
    const farthest = Math.min(Math.hypot(reach('x'), reach('y'), reach('z')), WIDEST * this.#firstRadius);
    if (farthest < OUTSIDE * framed.radius) return;
    framed.radius += GENTLY * (farthest - framed.radius);
    this.#radius = framed.radius;
    this.#look(framed.center, this.#side(), this.#distanceFor(framed.radius));
    this.#light(framed);
    this.#dress();
    this.draw();
  }

  /** Shifts the view to another point, camera and all. */
  follow(point: Vector3): void {
    const shift = point.clone().sub(this.#controls.target);
    if (shift.lengthSq() === 0) return;
    this.#framed = undefined;
    this.#controls.target.add(shift);
    this.camera.position.add(shift);
    this.#controls.update();
    this.#light(new Sphere(this.#controls.target.clone(), this.#radius));
    this.draw();
  }

  /** Panes of walls, in the order of obstacles. */
  get walls(): readonly (Group | undefined)[] {
    return this.#walls;
  }

  /** Moves the walls that move: three rows of an affine map each. */
  moveWalls(rows: Float32Array): void {
    for (const [k, wall] of this.#walls.entries()) {
      const r = (i: number) => rows[12 * k + i]!;
      wall?.matrix.set(r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), r(9), r(10), r(11), 0, 0, 0, 1);
    }
  }

  /** A picture at the next chance; many calls are one. */
  draw(): void {
    if (this.#scheduled || !this.#isAwake) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      // Unless somebody was faster.
      if (this.#scheduled) this.drawNow();
    });
  }

  /** Settles when the graphics card is done with the picture of what is there now, or after a while. */
  async seen(): Promise<void> {
    const late = performance.now() + PATIENCE;
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    while (this.#scheduled && performance.now() < late) await pause();
    const gl = this.#renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    const isDone = () => gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED;
    while (!isDone() && performance.now() < late) await pause();
    gl.deleteSync(fence);
  }

  drawNow(): void {
    const started = performance.now();
    this.#scheduled = false;
    clearView(this.#walls, this.camera.position);
    this.#renderer.render(this.#scene, this.camera);
    // Drawn while this thread goes on.
    this.#renderer.getContext().flush();
    // Only now: the new view goes on with the shaders of the old one.
    for (const view of this.#retired.splice(0)) view.dispose();
    this.#events.drawn(performance.now() - started);
  }

  release(): void {
    this.#hand?.hand.release();
    this.#hand = undefined;
    this.#brush = undefined;
    this.#controls.enabled = true;
    this.canvas.classList.remove('holding');
  }

  /** Pixel of a point, in the canvas: for those who point at things by program. */
  project(point: readonly [number, number, number]): { x: number; y: number } {
    const at = new Vector3(...point).project(this.camera);
    const { width, height } = this.canvas.getBoundingClientRect();
    return { x: ((at.x + 1) / 2) * width, y: ((1 - at.y) / 2) * height };
  }

  async picture(): Promise<Blob> {
    this.sharpen();
    this.drawNow();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))),
        'image/png',
      );
    });
  }

  /** A box and what is in it, drawn in another size; red, green, blue and alpha from the top left. */
  pictureOf(width: number, height: number, box: Box3): Uint8ClampedArray {
    const ratio = this.#renderer.getPixelRatio();
    this.#renderer.setPixelRatio(1);
    this.#setSize(width, height);
    this.frame(box);
    this.drawNow();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [width, height];
    const context = copy.getContext('2d')!;
    context.drawImage(this.canvas, 0, 0);
    this.#renderer.setPixelRatio(ratio);
    this.#resize();
    return context.getImageData(0, 0, width, height).data;
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || this.#hand || !this.#view) return;
    this.#pressed = { x: event.clientX, y: event.clientY };
    this.#aim(event);
    const pick = this.#view.pick(this.#raycaster);
    if (!pick) return;
    this.#events.select(pick.body.name);
    const hand = this.#events.grab(pick);
    if (!hand) return;
    this.#controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    if (hand === 'brush') {
      this.#brush = event.pointerId;
      return;
    }
    const facing = this.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, pick.point);
    this.#hand = { hand, plane, pointer: event.pointerId };
    this.canvas.classList.add('holding');
  }

  #move(event: PointerEvent): void {
    if (this.#brush === event.pointerId && event.timeStamp - this.#brushed > BRUSH_INTERVAL) {
      this.#brushed = event.timeStamp;
      this.#aim(event);
      const met = this.#view?.pick(this.#raycaster);
      if (met) this.#events.brush(met);
    }
    if (this.#hand?.pointer !== event.pointerId) return;
    this.#aim(event);
    const point = this.#raycaster.ray.intersectPlane(this.#hand.plane, new Vector3());
    if (!point) return;
    if (this.#ground.visible) point.y = Math.max(point.y, this.#ground.position.y);
    this.#hand.hand.move([point.x, point.y, point.z]);
  }

  #lift(event: PointerEvent): void {
    if (this.#hand?.pointer === event.pointerId || this.#brush === event.pointerId) this.release();
    else if (this.#pressed && Math.hypot(event.clientX - this.#pressed.x, event.clientY - this.#pressed.y) < 3) {
      this.#events.select(undefined);
    }
    this.#pressed = undefined;
  }

  #aim(event: PointerEvent): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    this.#raycaster.setFromCamera(at, this.camera);
  }

  #light({ center, radius }: Sphere): void {
    const reach = 2.6 * radius;
    this.#sun.position.copy(center).add(new Vector3(0.6, 1.5, 0.8).multiplyScalar(2.5 * radius));
    this.#sun.target.position.copy(center);
    const { camera } = this.#sun.shadow;
    Object.assign(camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: 0.1 * radius,
      far: 12 * radius,
    });
    camera.updateProjectionMatrix();
    this.#sun.shadow.normalBias = 0.012 * radius;
  }

  /** Ground and grid in a size that fits the scene, fading into the background. */
  #dress(): void {
    const background = new Color(this.#colors.background);
    // Without a ground the background is about as bright as one: bodies stand out against it.
    if (!this.#ground.visible) background.lerp(new Color(this.#colors.ground), 0.3);
    const distance = this.camera.position.distanceTo(this.#controls.target);
    this.#scene.background = background;
    this.#scene.fog = new Fog(background, 1.6 * distance, 5 * distance);
    this.#ground.scale.setScalar(12 * Math.max(distance, this.#radius));
    this.#ground.material.color.set(this.#colors.ground);
    const cell = 10 ** Math.floor(Math.log10(Math.max(this.#radius, 1e-6)));
    this.#grid.scale.setScalar(cell);
    this.#grid.material.color.set(this.#colors.grid);
    this.#grid.position.y = this.#ground.position.y + 1e-4 * this.#radius;
    this.#grid.visible = this.#ground.visible;
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.setPixelRatio(this.#share * Math.min(2, globalThis.devicePixelRatio));
    this.#setSize(clientWidth, clientHeight);
    this.draw();
  }

  #setSize(width: number, height: number): void {
    this.#renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
}

function attributesFor(plain: boolean) {
  return { antialias: !plain, alpha: false, preserveDrawingBuffer: true };
}

function openContext(canvas: HTMLCanvasElement, quality: Quality) {
  const plain = quality === 'plain';
  const context = canvas.getContext('webgl2', attributesFor(plain)) as WebGL2RenderingContext | null;
  if (!context) throw new Error('This browser lacks WebGL 2. A current Chrome, Edge, Firefox or Safari has it.');
  return { context, plain };
}

/** Does the processor draw, for want of a graphics card? */
function drawsInSoftware(context: WebGL2RenderingContext): boolean {
  const { UNMASKED_RENDERER_WEBGL = context.RENDERER } = context.getExtension('WEBGL_debug_renderer_info') ?? {};
  return /swiftshader|llvmpipe|software/i.test(String(context.getParameter(UNMASKED_RENDERER_WEBGL)));
}
