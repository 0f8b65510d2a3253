/** A page of a test: a world in a worker, shown beside what three.js itself makes of the same file. */
import { connectWorld } from 'phyxel/browser';
import {
  AmbientLight,
  type Camera,
  Color,
  DirectionalLight,
  type Intersection,
  MeshStandardMaterial,
  type Object3D,
  OrthographicCamera,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { type Display, PhyxelView, type ViewOptions } from '../../src/index.js';

const SIZE = 160;
const world = connectWorld({ assets: '/engine/' });
const renderer = new WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(SIZE, SIZE, false);
document.body.append(renderer.domElement);
const scene = new Scene();
scene.background = new Color('#204060');
const sun = new DirectionalLight('#fff', 2);
sun.position.set(1, 2, 3);
scene.add(new AmbientLight('#fff', 1), sun);
let view: PhyxelView | undefined;

function cameraAt(from: readonly number[], to: readonly number[]): Camera {
  const camera = new PerspectiveCamera(40, 1, 0.01, 20);
  camera.position.fromArray(from);
  camera.lookAt(new Vector3().fromArray(to));
  camera.updateMatrixWorld();
  return camera;
}

function pixels(camera: Camera): number[] {
  renderer.render(scene, camera);
  const gl = renderer.getContext();
  const data = new Uint8Array(4 * SIZE * SIZE);
  gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return [...data];
}

function told(hits: readonly Intersection[]) {
  return hits.map(({ point, distance, uv, face, normal, object, instanceId }) => ({
    point: point.toArray(),
    distance,
    uv: uv?.toArray(),
    faceNormal: face?.normal.toArray(),
    normal: normal?.toArray(),
    name: object.name,
    instanceId,
  }));
}

const page = {
  /** With `shared` all bodies are given one material. */
  async open(text: string, mesh: number[], shared = false) {
    const files = { 'cube.glb': Uint8Array.from(mesh) };
    await world.open({ text, fileName: 'test.yaml', files, threads: 1 });
    if (view) {
      scene.remove(view);
      view.dispose();
    }
    const material = new MeshStandardMaterial({ color: '#d04080' });
    const options: ViewOptions = shared ? { material: () => material } : {};
    view = new PhyxelView(world, options);
    scene.add(view);
    view.update(world.frame!);
  },

  async ready() {
    while (!view!.isReady) await new Promise((resolve) => setTimeout(resolve, 20));
  },

  async step(frames: number) {
    for (let k = 0; k < frames; k++) await world.step();
    while ((world.frame?.frame ?? 0) < frames) await new Promise((resolve) => setTimeout(resolve, 10));
  },

  show(display: Display) {
    view!.display = display;
  },

  picture(from: number[], to: number[]) {
    return pixels(cameraAt(from, to));
  },

  /** The same file by three's own loader, where the scene puts its body. */
  async reference(mesh: number[], at: number[], from: number[], to: number[]) {
    const { scene: loaded } = await new GLTFLoader().parseAsync(Uint8Array.from(mesh).buffer, '');
    loaded.position.fromArray(at);
    scene.add(loaded);
    const shown: (Object3D | undefined)[] = [view];
    for (const object of shown) if (object) object.visible = false;
    const data = pixels(cameraAt(from, to));
    for (const object of shown) if (object) object.visible = true;
    scene.remove(loaded);
    return data;
  },

  ray(origin: number[], direction: number[]) {
    scene.updateMatrixWorld();
    const directions = new Vector3().fromArray(direction).normalize();
    const raycaster = new Raycaster(new Vector3().fromArray(origin), directions);
    return told(raycaster.intersectObject(scene, true));
  },

  /** As events of react-three-fiber ask: through a camera, at a position of the picture. */
  pointer(x: number, y: number) {
    const camera = new OrthographicCamera(-0.5, 0.5, 0.5, -0.5, 0.01, 20);
    camera.position.set(0, 0.2, 5);
    camera.updateMatrixWorld();
    scene.updateMatrixWorld();
    const raycaster = new Raycaster();
    raycaster.setFromCamera(new Vector2(x, y), camera);
    return told(raycaster.intersectObject(view!, true));
  },

  move(x: number, y: number, z: number, scale: number) {
    view!.position.set(x, y, z);
    view!.scale.setScalar(scale);
  },

  particles() {
    return [...world.frame!.particles];
  },

  /** Triangles with an area that are left of a mesh, and colours of the surface of what has molten. */
  molten() {
    const { remains, liquids } = world.frame!;
    const indices = remains![0]!.indices;
    const left = indices.filter((_, k) => k % 3 === 0 && new Set(indices.subarray(k, k + 3)).size === 3);
    return { left: left.length, all: indices.length / 3, colors: [...liquids![0]!.colors!] };
  },

  /** Milliseconds of the first ray of a frame, which deforms the mesh, and of the next. */
  time(origin: number[], direction: number[]) {
    view!.update(world.frame!);
    const [begin] = [performance.now()];
    page.ray(origin, direction);
    const middle = performance.now();
    page.ray(origin, direction);
    return [middle - begin, performance.now() - middle];
  },
};

export type Page = typeof page;
Object.assign(globalThis, { page });
