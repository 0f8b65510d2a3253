import { expect, test } from 'vitest';
import { findNeighbors, findNeighborsByBruteForce, nearestDistances } from '../../reference/index.js';
import { Engine } from '../../src/memory/engine.js';
import * as layout from '../../src/particles/layout.js';
import { block, buildBench, randomNumbers, relativeDifference } from '../laws/support.js';

/** Scattered points with supports between `from` and `to`, exactly representable in float32. */
function scatter(count: number, from: number, to: number, seed: number) {
  const random = randomNumbers(seed);
  const positions = Float64Array.from({ length: 3 * count }, () => Math.fround(random() - 0.5));
  const supports = Float64Array.from({ length: count }, () => Math.fround(from + (to - from) * random()));
  return { positions, supports };
}

/** Runs a search on points of its own, without a body around them. */
async function searchLists(
  kind: 'grid' | 'tree',
  positions: Float64Array,
  supports: Float64Array,
  threads = 1,
): Promise<{ begin: Int32Array; index: Int32Array }> {
  const engine = await Engine.create(threads);
  const { arena } = engine;
  const count = supports.length;
  const context = arena.allocate(layout.CONTEXT_SIZE);
  let buckets = 16;
  while (buckets < count) buckets *= 2;
  const slots: [number, number][] = [
    [layout.POINTS, arena.allocate(16 * count)],
    [layout.POINT_COUNT, count],
    [layout.SUPPORTS, arena.allocate(4 * count)],
    [layout.BUCKET_MASK, buckets - 1],
    [layout.BUCKET_BEGIN, arena.allocate(4 * (buckets + 1))],
    [layout.SORTED, arena.allocate(4 * count)],
    [layout.CELL_KEYS, arena.allocate(8 * count)],
    [layout.TREE_AXIS, arena.allocate(count)],
    [layout.NEIGHBOR_BEGIN, arena.allocate(4 * (count + 1))],
  ];
  const block = () => arena.u32(context, layout.CONTEXT_SIZE / 4);
  const addressOf = (slot: number) => block()[slot / 4]!;
  for (const [slot, value] of slots) block()[slot / 4] = value;
  const points = arena.f32(addressOf(layout.POINTS), 4 * count);
  for (let i = 0; i < count; i++) points.set(positions.subarray(3 * i, 3 * i + 3), 4 * i);
  arena.f32(addressOf(layout.SUPPORTS), count).set(supports);
  arena.f32(context, layout.CONTEXT_SIZE / 4)[layout.CELL_SIZE / 4] = Math.max(...supports);
  if (kind === 'grid') {
    engine.run('computeCellKeys', count, context);
    engine.runSerial('sortByCell', context);
  } else {
    engine.runSerial('buildTree', context);
  }
  engine.run(kind === 'grid' ? 'countNeighborsByGrid' : 'countNeighborsByTree', count, context);
  engine.runSerial('sumNeighborCounts', context);
  const begin = Int32Array.from(arena.u32(addressOf(layout.NEIGHBOR_BEGIN), count + 1));
  const lists = arena.allocate(4 * Math.max(1, begin[count]!));
  block()[layout.NEIGHBORS / 4] = lists;
  engine.run(kind === 'grid' ? 'fillNeighborsByGrid' : 'fillNeighborsByTree', count, context);
  const index = Int32Array.from(arena.u32(lists, begin[count]!));
  await engine.dispose();
  return { begin, index };
}

test.each([
  ['equal supports', 600, 0.2, 0.2],
  ['unequal supports', 600, 0.05, 0.35],
  ['supports larger than the set', 40, 3, 4],
  ['supports so small that nobody has a neighbour', 50, 1e-4, 1e-4],
  ['a single point', 1, 0.1, 0.1],
])('grid, kd-tree and the definition give the same neighbours: %s', async (_, count, from, to) => {
  const { positions, supports } = scatter(count, from, to, 7);
  const expected = findNeighborsByBruteForce(positions, supports);
  expect(findNeighbors(positions, supports)).toEqual(expected);
  // Exact: pairs within rounding of the edge of a support are not among these points.
  expect(await searchLists('grid', positions, supports)).toEqual(expected);
  expect(await searchLists('tree', positions, supports)).toEqual(expected);
  expect(await searchLists('grid', positions, supports, 2)).toEqual(expected);
});

test('points in one place and on lattice planes are neighbours like others', async () => {
  const { positions } = block([5, 5, 5], 0.25);
  positions.set([0.25, 0.25, 0.25], 0);
  positions.set([0.25, 0.25, 0.25], 3);
  const supports = new Float64Array(125).fill(0.625);
  const expected = findNeighborsByBruteForce(positions, supports);
  expect(await searchLists('grid', positions, supports)).toEqual(expected);
  expect(await searchLists('tree', positions, supports)).toEqual(expected);
});

test('each body is its own neighbourhood, with world-wide numbers', async () => {
  const [a, b] = [block([4, 4, 4], 0.1), block([3, 4, 5], 0.1, 0.2)];
  const random = randomNumbers(2);
  // Unequal spacings send the second body through the kd-tree.
  for (let i = 0; i < b.spacings.length; i++) b.spacings[i] = 0.1 * (1 + 0.3 * random());
  const bench = await buildBench([{ points: a }, { points: b }]);
  const { store, pairs } = bench.model;
  const begin = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const neighbors = store.integers(layout.NEIGHBORS, pairs);
  let offset = 0;
  for (const [k, points] of [a, b].entries()) {
    const { rest, count } = bench.bodies[k]!.samples;
    const positions = Float64Array.from({ length: 3 * count }, (_, n) => rest[4 * Math.floor(n / 3) + (n % 3)]!);
    const expected = findNeighborsByBruteForce(
      positions,
      points.spacings.map((s) => Math.fround(2.1 * Math.fround(s))),
    );
    for (let i = 0; i < count; i++) {
      const own = Array.from({ length: begin[offset + i + 1]! - begin[offset + i]! }, (_, n) => {
        return neighbors[begin[offset + i]! + n]! - offset;
      });
      expect(own).toEqual([...expected.index.subarray(expected.begin[i], expected.begin[i + 1])]);
    }
    offset += count;
  }
  await bench.dispose();
});

test.each([
  [300, 6],
  [40, 10],
  [5, 4],
])('the kd-tree finds the nearest of %i points', async (count, k) => {
  const { positions } = scatter(count, 1, 1, 5);
  const engine = await Engine.create(1);
  const { arena } = engine;
  const context = arena.allocate(layout.CONTEXT_SIZE);
  const points = arena.allocate(16 * count);
  const distances = arena.allocate(4 * k * count);
  const slots = arena.u32(context, layout.CONTEXT_SIZE / 4);
  slots[layout.POINTS / 4] = points;
  slots[layout.POINT_COUNT / 4] = count;
  slots[layout.SORTED / 4] = arena.allocate(4 * count);
  slots[layout.TREE_AXIS / 4] = arena.allocate(count);
  slots[layout.NEAREST_DISTANCE / 4] = distances;
  slots[layout.NEAREST_COUNT / 4] = k;
  for (let i = 0; i < count; i++) arena.f32(points, 4 * count).set(positions.subarray(3 * i, 3 * i + 3), 4 * i);
  engine.runSerial('buildTree', context);
  engine.run('computeNearestDistances', count, context);
  // Float32 squares and roots.
  expect(relativeDifference(arena.f32(distances, k * count), nearestDistances(positions, k))).toBeLessThan(3e-7);
  await engine.dispose();
});
