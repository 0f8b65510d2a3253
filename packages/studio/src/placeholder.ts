/** A body without extent, so that shaders are ready when the first scene is: the worker needs as long to open it. */
import { PhyxelView } from '@phyxel/three';
import type { BodyDescription, WorldDescription, WorldFrame } from 'phyxel/browser';

export function placeholder(): PhyxelView {
  const mesh = {
    positions: new Float32Array(9),
    normals: new Float32Array(9).fill(1),
    indices: Uint32Array.of(0, 1, 2),
    neighbors: 1,
    particles: new Uint32Array(3),
    weights: new Float32Array(3).fill(1),
  };
  const body: BodyDescription = {
    name: 'placeholder',
    kind: 'solid',
    begin: 0,
    end: 1,
    affineBegin: 0,
    spacing: 0,
    mass: 0,
    isFluid: false,
    flows: false,
    mesh,
  };
  const description = { id: 0, bodies: [body], obstacles: [], particles: 1 } as unknown as WorldDescription;
  const view = new PhyxelView(description);
  const frame = { particles: new Float32Array(4), affines: new Float32Array(12), obstacles: new Float32Array() };
  view.update(frame as unknown as WorldFrame);
  return view;
}
