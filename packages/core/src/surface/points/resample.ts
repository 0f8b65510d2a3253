/** Surfels come and go so that the surface has no holes and no crowds, [K06] 6.6.3. */
import { LOST, TOUCHING } from '../../particles/points-layout.js';
import type { PointCloud } from './cloud.js';

/**
 * Corners of cells farther from their surfel than this get a new one, and those nearer to another than the second go
 * [distances of surfels]. A new one is as far from all others as the corner is, so it does not go again.
 */
export const COVER = 0.85;
const CLUSTERING = 0.55;

/** New surfels are as high over the guiding surface as the one beside them, up to this. */
const MOST_HEIGHT = 0.2;
/** Surfels with a smaller share of liquid around them are those of a solid: they stay as they are. */
export const SOLID = 1e-3;

/** What the last passes found about each surfel, by its number. */
export interface Findings {
  /** xyz of the farthest corner, and how far it is. */
  readonly corners: Float32Array;
  readonly gaps: Float32Array;
}

/** Takes surfels away that are lost or clustered; returns for every new number the old one. */
export function removeSurfels(
  cloud: PointCloud,
  isActive: Uint8Array,
  { gaps }: Findings,
  spacing: number,
): number[] | undefined {
  const kept: number[] = [];
  for (let i = 0; i < cloud.count; i++) {
    const isClustered = isActive[i] === 1 && gaps[i]! < CLUSTERING * spacing && cloud.shares[i]! > SOLID;
    if (cloud.states[i] !== LOST && !isClustered) kept.push(i);
  }
  if (kept.length === cloud.count) return undefined;
  cloud.keep(kept);
  return kept;
}

/** A position that wants a surfel. */
export interface Proposal {
  readonly position: readonly [number, number, number];
  readonly label: number;
  /** Over the guiding surface. */
  readonly height: number;
  /** The surfel that it is like. */
  readonly like?: number;
  /** The normal of the surface on a boundary. */
  readonly boundaryNormal?: readonly [number, number, number];
}

/** One that there is room for. */
export interface PlacedProposal extends Proposal {
  readonly normal: readonly [number, number, number];
}

/** Is a part of a liquid surface near a surfel farther away from all of them than it may be? */
export function hasHole({ shares }: PointCloud, corners: Float32Array, i: number, spacing: number): boolean {
  return corners[4 * i + 3]! > COVER * spacing && shares[i]! > SOLID;
}

export function cornerProposals(
  cloud: PointCloud,
  active: ArrayLike<number>,
  { corners }: Findings,
  spacing: number,
): Proposal[] {
  const proposals: Proposal[] = [];
  for (let k = 0; k < active.length; k++) {
    const i = active[k]!;
    if (!hasHole(cloud, corners, i, spacing)) continue;
    proposals.push({
      position: [corners[4 * i]!, corners[4 * i + 1]!, corners[4 * i + 2]!],
      label: cloud.labels[i]!,
      height: Math.max(-MOST_HEIGHT, Math.min(MOST_HEIGHT, cloud.positions[4 * i + 3]!)),
      like: i,
      ...(cloud.states[i] === TOUCHING && { boundaryNormal: normalAt(cloud, i) }),
    });
  }
  return proposals;
}

function normalAt({ normals }: PointCloud, i: number): readonly [number, number, number] {
  return [normals[4 * i]!, normals[4 * i + 1]!, normals[4 * i + 2]!];
}

/** Adds surfels at the positions proposed, none nearer to another new one of its side than their distance allows. */
export function addSurfels(cloud: PointCloud, proposals: readonly PlacedProposal[], spacing: number): number {
  const reach = 0.8 * spacing;
  const cells = new Map<string, PlacedProposal[]>();
  let added = 0;
  for (const proposal of proposals) {
    const { position, normal, label, like, boundaryNormal } = proposal;
    const [x, y, z] = position.map((c) => Math.floor(c / reach)) as [number, number, number];
    let free = true;
    for (let a = x - 1; a <= x + 1 && free; a++) {
      for (let b = y - 1; b <= y + 1 && free; b++) {
        for (let c = z - 1; c <= z + 1 && free; c++) {
          free = !cells.get(`${a} ${b} ${c}`)?.some((other) => isNear(proposal, other, reach));
        }
      }
    }
    if (!free) continue;
    const key = `${x} ${y} ${z}`;
    const cell = cells.get(key);
    if (cell) cell.push(proposal);
    else cells.set(key, [proposal]);
    cloud.add(position, normal, label, like);
    if (boundaryNormal) cloud.states[cloud.count - 1] = TOUCHING;
    added++;
  }
  return added;
}

function isNear(a: PlacedProposal, b: PlacedProposal, reach: number): boolean {
  if (a.label !== b.label) return false;
  let [square, cosine] = [0, 0];
  for (let x = 0; x < 3; x++) {
    square += (a.position[x]! - b.position[x]!) ** 2;
    cosine += a.normal[x]! * b.normal[x]!;
  }
  return square < reach * reach && cosine > 0;
}
