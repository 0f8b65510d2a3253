/** A body as particles, before it is put into the world's memory. Float32, as the passes will see it. */
export interface BodySamples {
  readonly count: number;
  /** Per particle: rest position relative to the centre of mass [m] and the edge of its cell [m]. */
  readonly rest: Float32Array;
  /** Rest volume [m3]. */
  readonly volume: Float32Array;
  /** From each particle to the centroid of its cell, xyz [m]; empty where all are at the centroid. */
  readonly offset: Float32Array;
  /** Distance at which a solid's particle touches obstacles [m]; empty where it is half the edge of its cell. */
  readonly contactRadius: Float32Array;
  /** xyz per particle: outward normal of the surface for those that carry a flat part of it, zero for others; or empty. */
  readonly normal: Float32Array;
  /** Centre of mass in the coordinates of the shape [m]. */
  readonly center: readonly [number, number, number];
  /** Numbers of particles at which parts end that air separates, where there are several: these are no neighbours. */
  readonly parts?: readonly number[] | undefined;
}

/** Ranges of particles that can be neighbours. */
export function partsOf({ count, parts = [count] }: BodySamples): { begin: number; end: number }[] {
  return parts.map((end, k) => ({ begin: parts[k - 1] ?? 0, end }));
}

/** Number of each particle's part. */
export function partNumbers(samples: BodySamples): Uint32Array {
  const numbers = new Uint32Array(samples.count);
  for (const [part, { begin, end }] of partsOf(samples).entries()) numbers.fill(part, begin, end);
  return numbers;
}

/** What not all samples have; see BodySamples. */
interface SampleDetails {
  readonly offsets?: Float64Array | undefined;
  readonly contactRadii?: Float32Array | undefined;
  readonly normals?: Float32Array | undefined;
  readonly parts?: readonly number[] | undefined;
}

/** From positions [m], volumes [m3] and cell edges [m] in the coordinates of the shape. */
export function toSamples(
  positions: Float64Array,
  volumes: Float64Array,
  spacings: Float64Array,
  { offsets, contactRadii, normals, parts }: SampleDetails = {},
): BodySamples {
  const count = volumes.length;
  let total = 0;
  const center: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const v = volumes[i]!;
    total += v;
    for (let a = 0; a < 3; a++) center[a]! += v * positions[3 * i + a]!;
  }
  for (let a = 0; a < 3; a++) center[a] = center[a]! / total;
  const rest = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) rest[4 * i + a] = positions[3 * i + a]! - center[a]!;
    rest[4 * i + 3] = spacings[i]!;
  }
  return {
    count,
    rest,
    volume: Float32Array.from(volumes),
    offset: Float32Array.from(offsets ?? []),
    contactRadius: contactRadii ?? new Float32Array(0),
    normal: normals ?? new Float32Array(0),
    center,
    ...(parts && { parts }),
  };
}
