/** USD as text: a mesh for each body and all particles as points, with samples over time. */
import type { ExportFrame, ExportMesh } from './geometry.js';

const number = (x: number) => String(Number(x.toPrecision(9)));

function vectors(values: Float32Array): string {
  const parts: string[] = [];
  for (let k = 0; k < values.length; k += 3) {
    parts.push(`(${number(values[k]!)}, ${number(values[k + 1]!)}, ${number(values[k + 2]!)})`);
  }
  return `[${parts.join(', ')}]`;
}

const numbers = (values: Float32Array) => `[${Array.from(values, number).join(', ')}]`;

/** A name that USD accepts, and that no other has. */
function primName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_') || '_';
  let result = plain;
  for (let k = 2; taken.has(result); k++) result = `${plain}_${k}`;
  taken.add(result);
  return result;
}

interface Samples {
  readonly name: string;
  /** By the declaration of the attribute: rows of "frame: value". */
  readonly rows: Map<string, string[]>;
}

function add({ rows }: Samples, declaration: string, frame: number, value: string): void {
  const list = rows.get(declaration) ?? [];
  list.push(`${frame}: ${value}`);
  rows.set(declaration, list);
}

const TYPES: Readonly<Record<number, string>> = { 1: 'float[]', 3: 'float3[]' };

/** Collects frames; the time code of a frame is its number. */
export class UsdaWriter {
  readonly #meshes = new Map<string, Samples>();
  readonly #points: Samples = { name: 'particles', rows: new Map() };
  readonly #taken = new Set(['particles']);
  readonly #frameRate: number;
  readonly #name: string;
  #first = Infinity;
  #last = -Infinity;

  constructor(name: string, frameRate: number) {
    this.#name = name;
    this.#frameRate = frameRate;
  }

  add({ frame, meshes, points }: ExportFrame, spacing: number): void {
    this.#first = Math.min(this.#first, frame);
    this.#last = Math.max(this.#last, frame);
    for (const mesh of meshes) this.#addMesh(frame, mesh);
    add(this.#points, 'point3f[] points', frame, vectors(points.positions));
    add(this.#points, 'float[] widths', frame, numbers(new Float32Array(points.positions.length / 3).fill(spacing)));
    const { velocity } = points.attributes;
    if (velocity) add(this.#points, 'vector3f[] velocities', frame, vectors(velocity.values));
  }

  #addMesh(frame: number, { name, positions, normals, indices, attributes }: ExportMesh): void {
    let samples = this.#meshes.get(name);
    if (!samples) {
      samples = { name: primName(name, this.#taken), rows: new Map() };
      this.#meshes.set(name, samples);
    }
    add(samples, 'point3f[] points', frame, vectors(positions));
    add(samples, 'normal3f[] normals', frame, vectors(normals));
    add(samples, 'int[] faceVertexIndices', frame, `[${indices.join(', ')}]`);
    add(samples, 'int[] faceVertexCounts', frame, `[${new Array(indices.length / 3).fill(3).join(', ')}]`);
    for (const [attribute, { components, values }] of Object.entries(attributes)) {
      const type = attribute === 'velocity' ? 'vector3f[] velocities' : `${TYPES[components]} primvars:${attribute}`;
      if (TYPES[components]) add(samples, type, frame, components === 3 ? vectors(values) : numbers(values));
    }
  }

  text(): string {
    const meshes = [...this.#meshes.values()].map((samples) =>
      prim('Mesh', samples, ['uniform token subdivisionScheme = "none"']),
    );
    return `#usda 1.0
(
    defaultPrim = "world"
    doc = ${JSON.stringify(this.#name)}
    metersPerUnit = 1
    upAxis = "Y"
    startTimeCode = ${this.#first}
    endTimeCode = ${this.#last}
    timeCodesPerSecond = ${this.#frameRate}
    framesPerSecond = ${this.#frameRate}
)

def Xform "world"
{
${[...meshes, prim('Points', this.#points, [])].join('\n')}
}
`;
  }
}

function prim(type: string, { name, rows }: Samples, fixed: readonly string[]): string {
  const attributes = [...rows].flatMap(([declaration, list]) => {
    const lines = [`        ${declaration}.timeSamples = {`, ...list.map((row) => `            ${row},`), '        }'];
    // What a primitive carries at its vertices varies over them.
    return declaration.includes('primvars:')
      ? [`        ${declaration} (\n            interpolation = "vertex"\n        )`, ...lines]
      : lines;
  });
  return [`    def ${type} "${name}"`, '    {', ...fixed.map((line) => `        ${line}`), ...attributes, '    }'].join(
    '\n',
  );
}
