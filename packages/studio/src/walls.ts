/** Walls of tanks: steep planes, which have no end, as panes of glass with an outline as far as the scene reaches. */
import { isWall, type WorldDescription, wallMesh } from 'phyxel/browser';
import {
  type Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Vector3,
} from 'three';

/** Walls farther from the middle of the scene than this, in its radii, are not drawn. */
const FAR = 5;
/** Height of a fence over its length. */
const FENCE = 0.06;
/** How much is seen of a pane and of its outline, from inside and, where it is in the way, from outside. */
const PANE = 0.06;
const OUTLINE = [0.4, 0.12] as const;
/** Edges of a pane are those where faces meet at more than this angle [degrees]. */
const EDGE = 30;

/** Extends a box to the walls that stand around it. */
export function addWalls({ obstacles }: WorldDescription, box: Box3): Box3 {
  if (box.isEmpty()) return box;
  const middle = box.getCenter(new Vector3());
  const radius = box.getSize(new Vector3()).length() / 2;
  for (const { plane } of obstacles) {
    if (!plane || !isWall(plane)) continue;
    const wall = new Plane().setFromNormalAndCoplanarPoint(new Vector3(...plane.normal), new Vector3(...plane.point));
    if (Math.abs(wall.distanceToPoint(middle)) < FAR * radius) {
      // Steep, not upright: where it is as high as the middle.
      const foot = wall.projectPoint(middle, new Vector3());
      box.expandByPoint(foot.setY(middle.y));
    }
  }
  return box;
}

/**
 * The panes, in the order of obstacles; others than walls have none. Around liquids they are as high as what is in them,
 * around bodies a low fence. Give their colour to `colorWalls`.
 */
export function makeWalls(description: WorldDescription, reach: Box3): (Group | undefined)[] {
  const bounds = addWalls(description, reach.clone());
  if (!description.bodies.some(({ flows }) => flows)) {
    const { x, z } = bounds.getSize(new Vector3());
    bounds.max.y = Math.min(bounds.max.y, bounds.min.y + FENCE * Math.max(x, z));
  }
  const planes = description.obstacles.flatMap(({ plane }) => plane ?? []);
  const { min, max } = bounds;
  const within = { low: [min.x, min.y, min.z], high: [max.x, max.y, max.z] } as const;
  return description.obstacles.map(({ plane, name }) => {
    const mesh = plane && !bounds.isEmpty() && isWall(plane) ? wallMesh(plane, planes, within) : undefined;
    if (!mesh) return undefined;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(mesh.positions), 3));
    geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
    const look = { transparent: true, depthWrite: false };
    const pane = new Mesh(geometry, new MeshBasicMaterial({ ...look, opacity: PANE, side: DoubleSide }));
    const outline = new LineSegments(
      new EdgesGeometry(geometry, EDGE),
      new LineBasicMaterial({ ...look, opacity: OUTLINE[0] }),
    );
    // After what stands behind them.
    pane.renderOrder = outline.renderOrder = 2;
    const group = new Group().add(pane, outline);
    group.name = name;
    group.userData = { point: new Vector3(...plane!.point), normal: new Vector3(...plane!.normal) };
    group.matrixAutoUpdate = false;
    return group;
  });
}

export function colorWalls(walls: readonly (Group | undefined)[], color: string): void {
  for (const wall of walls) {
    for (const part of wall?.children ?? [])
      (part as Mesh<BufferGeometry, MeshBasicMaterial>).material.color.set(color);
  }
}

/** Panes that somebody looks through from outside leave their outline only. */
export function clearView(walls: readonly (Group | undefined)[], camera: Vector3): void {
  for (const wall of walls) {
    if (!wall) continue;
    const [pane, outline] = wall.children as [Mesh, LineSegments<BufferGeometry, LineBasicMaterial>];
    const { point, normal } = wall.userData as { point: Vector3; normal: Vector3 };
    const at = point.clone().applyMatrix4(wall.matrix);
    const isInside = camera.clone().sub(at).dot(normal.clone().transformDirection(wall.matrix)) > 0;
    pane.visible = isInside;
    outline.material.opacity = OUTLINE[isInside ? 0 : 1];
  }
}

export function disposeWalls(walls: readonly (Group | undefined)[]): void {
  for (const wall of walls) {
    wall?.removeFromParent();
    for (const part of wall?.children ?? []) {
      const { geometry, material } = part as Mesh<BufferGeometry, MeshBasicMaterial>;
      geometry.dispose();
      material.dispose();
    }
  }
}
