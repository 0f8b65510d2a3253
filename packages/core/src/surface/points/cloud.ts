/** The surfels of a point surface as arrays that grow and shrink. Lengths are in spacings of the particles. */
export class PointCloud {
  count = 0;
  /** Place, and height over the guiding surface. */
  positions = new Float32Array();
  normals = new Float32Array();
  /** Where the particles alone took it in this update. */
  homes = new Float32Array();
  homeNormals = new Float32Array();
  labels = new Uint32Array();
  areas = new Float32Array();
  /** How liquid the particles around are, 0 to 1. */
  shares = new Float32Array();
  states = new Uint32Array();
  /** Four numbers each, such as a colour; taken over from zombies. */
  values = new Float32Array();

  resize(count: number): void {
    this.count = count;
    this.positions = fit(this.positions, 4 * count);
    this.normals = fit(this.normals, 4 * count);
    this.homes = fit(this.homes, 4 * count);
    this.homeNormals = fit(this.homeNormals, 4 * count);
    this.values = fit(this.values, 4 * count);
    this.areas = fit(this.areas, count);
    this.shares = fit(this.shares, count);
    this.labels = fitIntegers(this.labels, count);
    this.states = fitIntegers(this.states, count);
  }

  /** Keeps some, in their order. */
  keep(kept: readonly number[]): void {
    for (const array of [this.positions, this.normals, this.homes, this.homeNormals, this.values]) {
      for (const [to, from] of kept.entries()) array.copyWithin(4 * to, 4 * from, 4 * from + 4);
    }
    for (const array of [this.areas, this.shares, this.labels, this.states]) {
      for (const [to, from] of kept.entries()) array[to] = array[from]!;
    }
    this.resize(kept.length);
  }

  /** Adds one at a position, with the normal and the rest of what is known from another one, if there is one. */
  add(position: ArrayLike<number>, normal: ArrayLike<number>, label: number, like: number | undefined): void {
    const i = this.count;
    this.resize(i + 1);
    for (let a = 0; a < 3; a++) {
      this.positions[4 * i + a] = position[a]!;
      this.homes[4 * i + a] = position[a]!;
      this.normals[4 * i + a] = normal[a]!;
      this.homeNormals[4 * i + a] = normal[a]!;
    }
    this.labels[i] = label;
    this.areas[i] = 0;
    this.shares[i] = like === undefined ? 1 : this.shares[like]!;
    this.states[i] = 0;
    if (like !== undefined) this.values.copyWithin(4 * i, 4 * like, 4 * like + 4);
  }
}

function fit(array: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> {
  if (4 * length <= array.buffer.byteLength) return new Float32Array(array.buffer, 0, length);
  const grown = new Float32Array(new ArrayBuffer(8 * length + 1024), 0, length);
  grown.set(array);
  return grown;
}

function fitIntegers(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (4 * length <= array.buffer.byteLength) return new Uint32Array(array.buffer, 0, length);
  const grown = new Uint32Array(new ArrayBuffer(8 * length + 1024), 0, length);
  grown.set(array);
  return grown;
}
