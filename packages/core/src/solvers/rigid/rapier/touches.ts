/**
 * What bodies in Rapier's world have given to each other in a step. Rapier tells the impulses along the normals; those of
 * friction it keeps to itself. They are what is missing in the momentum of each body: exactly where contacts form no loops,
 * and else the smallest in proportion to what friction can hold.
 */
import type { Collider, World } from '@dimforge/rapier3d-deterministic-compat';
import type { Vec3 } from '../../../options/types.js';
import { conjugateGradients } from '../../linear/conjugate-gradients.js';

/** Two in contact, the first a body that moves. */
export interface Touch {
  readonly one: number;
  /** Number of the other body, or -1 - k for obstacle k. */
  readonly other: number;
  /** On the first [N s]. */
  readonly impulse: [number, number, number];
  /** Mean of the points, by their impulses [m]. */
  readonly point: Vec3;
  readonly points: number;
}

/** A body that moves: the collider it has, and its change of momentum that contacts have made [N s], if that is known. */
export interface Touching {
  readonly collider: Collider;
  readonly gained: Vec3 | undefined;
}

/** Residual of the balance over what is to be balanced. */
const TOLERANCE = 1e-12;

interface Edge extends Touch {
  readonly spring: number;
}

export function findTouches(world: World, bodies: readonly Touching[], obstacles: readonly Collider[]): Touch[] {
  const numberOf = new Map<number, number>();
  for (const [b, { collider }] of bodies.entries()) numberOf.set(collider.handle, b);
  for (const [k, collider] of obstacles.entries()) numberOf.set(collider.handle, -1 - k);
  const edges: Edge[] = [];
  for (const [one, { collider }] of bodies.entries()) {
    const found: Edge[] = [];
    world.contactPairsWith(collider, (partner) => {
      const other = numberOf.get(partner.handle);
      if (other === undefined || (other >= 0 && other < one)) return;
      const touch = touchOf(world, collider, partner, one, other);
      if (touch) found.push(touch);
    });
    edges.push(...found.sort((a, b) => a.other - b.other));
  }
  addFriction(bodies, edges);
  return edges;
}

function touchOf(world: World, own: Collider, partner: Collider, one: number, other: number): Edge | undefined {
  const impulse: [number, number, number] = [0, 0, 0];
  const moment: [number, number, number] = [0, 0, 0];
  let [size, points] = [0, 0];
  let spring = 0;
  world.contactPair(own, partner, (manifold, flipped) => {
    const { x, y, z } = manifold.normal();
    // It points away from the first collider of the pair.
    const sign = flipped ? 1 : -1;
    let pushed = 0;
    for (let k = 0; k < manifold.numContacts(); k++) pushed += manifold.contactImpulse(k);
    if (!(pushed > 0)) return;
    const count = manifold.numSolverContacts();
    for (let k = 0; k < count; k++) {
      const at = manifold.solverContactPoint(k);
      if (!at) continue;
      moment[0] += (pushed * at.x) / count;
      moment[1] += (pushed * at.y) / count;
      moment[2] += (pushed * at.z) / count;
    }
    points += count;
    size += pushed;
    impulse[0] += sign * pushed * x;
    impulse[1] += sign * pushed * y;
    impulse[2] += sign * pushed * z;
    spring += pushed * own.friction() * partner.friction();
  });
  if (size === 0) return undefined;
  return { one, other, impulse, point: [moment[0] / size, moment[1] / size, moment[2] / size], points, spring };
}

/** Adds what is missing in the momenta of the bodies. */
function addFriction(bodies: readonly Touching[], edges: readonly Edge[]): void {
  const weights = edges.map(({ spring }) => spring * spring);
  const groups = looseGroups(bodies, edges);
  const sides = (edge: Edge) => (edge.other >= 0 ? [edge.one, edge.other] : [edge.one]);
  for (let a = 0; a < 3; a++) {
    const free = bodies.map(({ gained }) => gained !== undefined);
    const residual = Float64Array.from(bodies, ({ gained }) => gained?.[a] ?? 0);
    const diagonal = new Float64Array(bodies.length);
    for (const [k, edge] of edges.entries()) {
      residual[edge.one]! -= edge.impulse[a]!;
      if (edge.other >= 0) residual[edge.other]! += edge.impulse[a]!;
      for (const b of sides(edge)) diagonal[b]! += weights[k]!;
    }
    // A body that nothing grips has nothing that could be missing.
    for (const b of bodies.keys()) {
      if (!free[b] || diagonal[b] === 0) residual[b] = 0;
    }
    // Bodies that touch only each other keep their momentum; what they lack all the same is rounding.
    for (const loose of groups) {
      const mean = loose.reduce((sum, b) => sum + residual[b]!, 0) / loose.length;
      for (const b of loose) residual[b]! -= mean;
    }
    const solution = new Float64Array(bodies.length);
    const direction = new Float64Array(bodies.length);
    const product = new Float64Array(bodies.length);
    const size = () => residual.reduce((sum, r) => sum + r * r, 0);
    const target = TOLERANCE * TOLERANCE * size();
    const weighed = () => residual.reduce((sum, r, b) => sum + (diagonal[b]! > 0 ? (r * r) / diagonal[b]! : 0), 0);
    if (target === 0) continue;
    let beta = 0;
    const system = {
      multiply: () => {
        for (const b of bodies.keys()) {
          direction[b] = (diagonal[b]! > 0 ? residual[b]! / diagonal[b]! : 0) + beta * direction[b]!;
        }
        product.fill(0);
        for (const [k, { one, other }] of edges.entries()) {
          const flow = weights[k]! * (direction[one]! - (other >= 0 ? direction[other]! : 0));
          product[one]! += flow;
          if (other >= 0) product[other]! -= flow;
        }
        for (const b of bodies.keys()) if (!free[b]) product[b] = 0;
        return product.reduce((sum, q, b) => sum + q * direction[b]!, 0);
      },
      advance: (alpha: number) => {
        for (const b of bodies.keys()) {
          solution[b]! += alpha * direction[b]!;
          residual[b]! -= alpha * product[b]!;
        }
        return size() <= target;
      },
      precondition: weighed,
      turn: (next: number) => {
        beta = next;
      },
    };
    conjugateGradients(system, weighed(), 2 * bodies.length + 10);
    for (const [k, { one, other, impulse }] of edges.entries()) {
      impulse[a]! += weights[k]! * (solution[one]! - (other >= 0 ? solution[other]! : 0));
    }
  }
}

/** Bodies that friction ties to each other, but to nothing that is held. */
function looseGroups(bodies: readonly Touching[], edges: readonly Edge[]): number[][] {
  const group = Array.from(bodies.keys());
  const held = bodies.map(({ gained }) => gained === undefined);
  const rename = (from: number, to: number) => {
    for (const b of bodies.keys()) if (group[b] === from) group[b] = to;
  };
  for (const { one, other, spring } of edges) {
    if (spring === 0) continue;
    if (other < 0) held[one] = true;
    else if (group[one] !== group[other]) rename(group[other]!, group[one]!);
  }
  const heldGroups = new Set(group.filter((_, b) => held[b]));
  const members = new Map<number, number[]>();
  for (const [b, g] of group.entries()) if (!heldGroups.has(g)) members.set(g, [...(members.get(g) ?? []), b]);
  return [...members.values()].filter((list) => list.length > 1);
}
