import type { BodyDescription, WorldDescription, WorldFrame } from 'phyxel/browser';
import { type Material, Mesh } from 'three';
import { expect, test } from 'vitest';
import { PhyxelView } from '../src/view.js';

/** A view of one liquid, which is a triangle, and of what is around it. */
function viewOf(look: BodyDescription['look'], obstacles: readonly unknown[] = []): PhyxelView {
  const body = { name: 'water', kind: 'fluid', flows: true, begin: 0, end: 1, spacing: 0.1, look };
  const view = new PhyxelView({ particles: 1, bodies: [body], obstacles } as unknown as WorldDescription);
  const triangle = {
    bodies: ['water'],
    positions: new Float32Array(9),
    normals: new Float32Array(9),
    indices: Uint32Array.of(0, 1, 2),
  };
  view.update({
    particles: new Float32Array(4),
    affines: new Float32Array(0),
    obstacles: new Float32Array(12 * obstacles.length),
    liquids: [triangle],
  } as unknown as WorldFrame);
  return view;
}

const materialOf = ({ material }: Mesh) => material as Material;

test('a clear liquid has no shadows on its surface, and shows what is in front of it only', () => {
  const [water] = viewOf('glass').children as [Mesh];
  expect(water).toMatchObject({ name: 'water', castShadow: true, receiveShadow: false });
  const [front] = water.children as [Mesh];
  expect(front.geometry).toBe(water.geometry);
  expect(materialOf(front)).toMatchObject({ colorWrite: false, depthWrite: true, transparent: true });
  // Drawn just before it: among what is clear the older of two at one distance comes first.
  expect(front.id).toBeLessThan(water.id);
});

test('a liquid that cannot be seen through has shadows like everything else', () => {
  const [wax] = viewOf('glossy').children as [Mesh];
  expect(wax).toMatchObject({ receiveShadow: true, children: [] });
  expect(materialOf(wax).transparent).toBe(false);
  expect(wax).toBeInstanceOf(Mesh);
});

test('glass is drawn before the liquid in it, whose depth would hide it where they touch', () => {
  const mesh = { positions: new Float32Array(9), normals: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) };
  const view = viewOf('glass', [{ name: 'jar', isClear: true, mesh }]);
  const [jar, water] = ['jar', 'water'].map((name) => view.getObjectByName(name) as Mesh) as [Mesh, Mesh];
  expect(materialOf(jar)).toMatchObject({ depthWrite: false, transparent: true });
  for (const part of [water, ...(water.children as Mesh[])]) expect(part.renderOrder).toBeGreaterThan(jar.renderOrder);
});
