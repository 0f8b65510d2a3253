/** Colours of bodies and of quantities. */
import { matterOf, type Scene } from 'phyxel';
import type { Color } from './geometry.js';
import { toLinear } from './picture.js';

/** `#rrggbb` to linear light. */
export function fromHex(hex: string): Color {
  const byte = (at: number) => toLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return [byte(1), byte(3), byte(5)];
}

/** In the order of the bodies of a scene. */
const PALETTE: readonly Color[] = [
  '#e2703a',
  '#2a9d8f',
  '#e9b949',
  '#5677b8',
  '#c9485b',
  '#83a95c',
  '#8c6bb1',
  '#3aa5c2',
].map(fromHex);

/** Of liquids, in their order. */
const LIQUIDS: readonly Color[] = ['#2f86c9', '#e8793a', '#8c6bb1', '#83a95c'].map(fromHex);

/** Colours of bodies and sources by name, in the order of a run's frames: the scene's, or chosen. */
export function chooseColors({ bodies, emitters }: Scene, names: readonly string[]): Map<string, Color> {
  let liquids = 0;
  return new Map(
    names.map((name, k) => {
      const body = bodies.find((candidate) => candidate.name === name);
      const hex = (body ?? emitters.find((candidate) => candidate.name === name))?.color;
      const isLiquid = body === undefined || matterOf(body).isFluid;
      const chosen = isLiquid ? LIQUIDS[liquids++ % LIQUIDS.length]! : PALETTE[k % PALETTE.length]!;
      return [name, hex === undefined ? chosen : fromHex(hex)];
    }),
  );
}

export const OBSTACLE: Color = fromHex('#a3a8af');
export const WALL: Color = fromHex('#d3d4d5');
export const GROUND: Color = fromHex('#cbcac7');
