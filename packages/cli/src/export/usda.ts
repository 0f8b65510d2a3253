/** USD as text: a mesh for each body and all particles as points, with samples over time. */
import { type MeshTexture, quaternionFromMatrix } from 'phyxel';
import { type ExportFrame, type ExportMesh, localTo, MaterialList } from './geometry.js';

const number = (x: number) => String(Number(x.toPrecision(9)));

const vector = (values: ArrayLike<number>) => `(${Array.from(values, number).join(', ')})`;

function vectors(values: Float32Array | Float64Array, components = 3): string {
  const parts: string[] = [];
  for (let k = 0; k < values.length; k += components) parts.push(vector(values.subarray(k, k + components)));
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
  /** What does not change over time. */
  readonly fixed: string[];
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
  readonly #points: Samples = { name: 'particles', rows: new Map(), fixed: [] };
  readonly #taken = new Set(['particles', 'materials']);
  readonly #materials = new MaterialList();
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

  #addMesh(frame: number, mesh: ExportMesh): void {
    const { name, positions, normals, indices, attributes, motion } = mesh;
    const known = this.#meshes.get(name);
    const samples = known ?? { name: primName(name, this.#taken), rows: new Map(), fixed: this.#lasting(mesh) };
    this.#meshes.set(name, samples);
    if (motion?.isRigid) {
      const [x, y, z, w] = quaternionFromMatrix(motion.pose.rotation);
      add(samples, 'double3 xformOp:translate', frame, vector(motion.pose.origin));
      add(samples, 'quatf xformOp:orient', frame, vector([w, x, y, z]));
    } else {
      add(samples, 'point3f[] points', frame, vectors(positions));
      add(samples, 'normal3f[] normals', frame, vectors(normals));
    }
    if (!motion) {
      add(samples, 'int[] faceVertexIndices', frame, `[${indices.join(', ')}]`);
      add(samples, 'int[] faceVertexCounts', frame, threes(indices.length / 3));
    }
    for (const [attribute, { components, values }] of Object.entries(attributes)) {
      // The prim itself says how a rigid body moves.
      if (attribute === 'velocity' && motion?.isRigid) continue;
      const type = attribute === 'velocity' ? 'vector3f[] velocities' : `${TYPES[components]} primvars:${attribute}`;
      if (TYPES[components]) add(samples, type, frame, components === 3 ? vectors(values) : numbers(values));
    }
  }

  /** What holds for all frames of a mesh. */
  #lasting({ positions, normals, uvs, indices, parts, motion }: ExportMesh): string[] {
    const binding = (k: number) => `rel material:binding = </world/materials/${materialName(k)}>`;
    const used = parts.map(({ material }) => this.#materials.index(material));
    const lines = ['uniform token subdivisionScheme = "none"'];
    if (parts.length === 1) {
      lines.push(binding(used[0]!), `color3f[] primvars:displayColor = [${vector(parts[0]!.material.color)}]`);
    }
    if (uvs) {
      lines.push(`texCoord2f[] primvars:st = ${vectors(uvs, 2)} (`, '    interpolation = "vertex"', ')');
    }
    if (motion) {
      lines.push(`int[] faceVertexIndices = [${indices.join(', ')}]`);
      lines.push(`int[] faceVertexCounts = ${threes(indices.length / 3)}`);
    }
    if (motion?.isRigid) {
      lines.push('uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]');
      lines.push(`point3f[] points = ${vectors(localTo(motion.pose, positions, true))}`);
      lines.push(`normal3f[] normals = ${vectors(localTo(motion.pose, normals, false))}`);
    }
    for (const [p, { begin, end }] of parts.length > 1 ? parts.entries() : []) {
      const faces = Array.from({ length: (end - begin) / 3 }, (_, t) => begin / 3 + t);
      lines.push(
        `def GeomSubset "part_${p}" (`,
        '    prepend apiSchemas = ["MaterialBindingAPI"]',
        ')',
        '{',
        '    uniform token elementType = "face"',
        '    uniform token familyName = "materialBind"',
        `    int[] indices = [${faces.join(', ')}]`,
        `    ${binding(used[p]!)}`,
        '}',
      );
    }
    return lines;
  }

  get materials(): MaterialList {
    return this.#materials;
  }

  text(): string {
    const meshes = [...this.#meshes.values()].map((samples) => prim('Mesh', samples, true));
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
${[...meshes, prim('Points', this.#points, false), materials(this.#materials)].join('\n')}
}
`;
  }
}

const threes = (count: number) => `[${new Array(count).fill(3).join(', ')}]`;

function prim(type: string, { name, rows, fixed }: Samples, isBound: boolean): string {
  const attributes = [...rows].flatMap(([declaration, list]) => {
    const lines = [`        ${declaration}.timeSamples = {`, ...list.map((row) => `            ${row},`), '        }'];
    if (!declaration.includes('primvars:')) return lines;
    // What a primitive carries at its vertices varies over them. It has a value without time as well, since there
    // are readers that take no metadata without one.
    const first = list[0]!.slice(list[0]!.indexOf(':') + 2);
    return [`        ${declaration} = ${first} (`, '            interpolation = "vertex"', '        )', ...lines];
  });
  const schemas = isBound ? ' (\n        prepend apiSchemas = ["MaterialBindingAPI"]\n    )' : '';
  return [
    `    def ${type} "${name}"${schemas}`,
    '    {',
    ...fixed.map((line) => `        ${line}`),
    ...attributes,
    '    }',
  ].join('\n');
}

const USD_WRAPS = { repeat: 'repeat', clamp: 'clamp', mirror: 'mirror' } as const;

/** The picture of a colour, and what reads its coordinates. */
function pictureShaders(file: string, { wrap }: MeshTexture, color: readonly number[], material: string): string {
  return `

            def Shader "picture"
            {
                uniform token info:id = "UsdUVTexture"
                asset inputs:file = @./${file}@
                token inputs:sourceColorSpace = "sRGB"
                token inputs:wrapS = "${USD_WRAPS[wrap[0]]}"
                token inputs:wrapT = "${USD_WRAPS[wrap[1]]}"
                float4 inputs:scale = ${vector([...color, 1])}
                float2 inputs:st.connect = <${material}/coordinates.outputs:result>
                float3 outputs:rgb
            }

            def Shader "coordinates"
            {
                uniform token info:id = "UsdPrimvarReader_float2"
                string inputs:varname = "st"
                float2 outputs:result
            }`;
}

const materialName = (k: number) => `material_${k}`;

function materials(all: MaterialList): string {
  const prims = all.list.map(
    ({ name, color, roughness, texture }, k) => `        def Material "${materialName(k)}" (
            displayName = ${JSON.stringify(name)}
        )
        {
            token outputs:surface.connect = </world/materials/${materialName(k)}/surface.outputs:surface>

            def Shader "surface"
            {
                uniform token info:id = "UsdPreviewSurface"
                color3f inputs:diffuseColor${texture ? `.connect = </world/materials/${materialName(k)}/picture.outputs:rgb>` : ` = ${vector(color)}`}
                float inputs:roughness = ${number(roughness)}
                token outputs:surface
            }${texture ? pictureShaders(all.textureFile(texture), texture, color, `/world/materials/${materialName(k)}`) : ''}
        }`,
  );
  return ['    def Scope "materials"', '    {', ...prims, '    }'].join('\n');
}
