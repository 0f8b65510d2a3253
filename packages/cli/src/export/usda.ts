/** USD as text: a mesh for each body and all particles as points, with samples over time. */
import { type MeshTexture, type Pose, quaternionFromMatrix } from 'phyxel';
import { type Format, writeTextures } from './format.js';
import {
  type ExportFrame,
  type ExportLight,
  type ExportMaterial,
  type ExportMesh,
  type ExportView,
  localTo,
  MaterialList,
} from './geometry.js';

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
  /** Numbers of the frames that it is in. */
  readonly frames: Set<number>;
}

function add({ rows }: Samples, declaration: string, frame: number, value: string): void {
  const list = rows.get(declaration) ?? [];
  list.push(`${frame}: ${value}`);
  rows.set(declaration, list);
}

const TYPES: Readonly<Record<number, string>> = { 1: 'float[]', 3: 'float3[]' };

/** Collects frames; the time code of a frame is its number. */
class UsdaWriter {
  readonly #meshes = new Map<string, Samples>();
  readonly #points: Samples = { name: 'particles', rows: new Map(), fixed: [], frames: new Set() };
  readonly #taken = new Set(['particles', 'materials', 'camera', 'key', 'sky']);
  readonly #materials = new MaterialList(true);
  readonly #frameRate: number;
  readonly #name: string;
  readonly #frames: number[] = [];
  #first = Infinity;
  #last = -Infinity;

  readonly #view: ExportView | undefined;

  constructor(name: string, frameRate: number, view?: ExportView) {
    this.#name = name;
    this.#frameRate = frameRate;
    this.#view = view;
  }

  add({ frame, meshes, obstacles = [], points }: ExportFrame, spacing: number): void {
    this.#first = Math.min(this.#first, frame);
    this.#last = Math.max(this.#last, frame);
    this.#frames.push(frame);
    // What melts has a mesh of its own before, and another one after.
    for (const mesh of meshes) this.#addMesh(frame, mesh, `${mesh.motion ? 'body' : 'liquid'} ${mesh.name}`);
    for (const mesh of obstacles) this.#addMesh(frame, mesh, `obstacle ${mesh.name}`);
    add(this.#points, 'point3f[] points', frame, vectors(points.positions));
    add(this.#points, 'float[] widths', frame, numbers(new Float32Array(points.positions.length / 3).fill(spacing)));
    const { velocity } = points.attributes;
    if (velocity) add(this.#points, 'vector3f[] velocities', frame, vectors(velocity.values));
  }

  /** Bodies and obstacles may have the same names: `key` tells them apart. */
  #addMesh(frame: number, mesh: ExportMesh, key: string): void {
    const { name, positions, normals, indices, attributes, motion } = mesh;
    const known = this.#meshes.get(key);
    const samples = known ?? {
      name: primName(name, this.#taken),
      rows: new Map(),
      fixed: this.#lasting(mesh),
      frames: new Set(),
    };
    this.#meshes.set(key, samples);
    samples.frames.add(frame);
    if (motion?.isStill) return;
    if (motion?.isRigid) {
      const { translate, orient } = placed(motion.pose);
      add(samples, 'double3 xformOp:translate', frame, translate);
      add(samples, 'quatf xformOp:orient', frame, orient);
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

  /** A mesh that some frames lack is seen in the others only. */
  #showInItsFrames(samples: Samples): void {
    if (this.#frames.every((frame) => samples.frames.has(frame))) return;
    for (const frame of this.#frames) {
      add(samples, 'token visibility', frame, samples.frames.has(frame) ? '"inherited"' : '"invisible"');
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
      lines.push(XFORM_ORDER, ...(motion.isStill ? xform(motion.pose) : []));
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
    for (const samples of this.#meshes.values()) this.#showInItsFrames(samples);
    const meshes = [...this.#meshes.values()].map((samples) => prim('Mesh', samples, true));
    const looked = this.#view ? viewPrims(this.#view) : [];
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
${[...meshes, prim('Points', this.#points, false), ...looked, materials(this.#materials)].join('\n')}
}
`;
  }
}

const XFORM_ORDER = 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]';

function placed({ rotation, origin }: Pose): { readonly translate: string; readonly orient: string } {
  const [x, y, z, w] = quaternionFromMatrix(rotation);
  return { translate: vector(origin), orient: vector([w, x, y, z]) };
}

/** The position of what stands still. */
function xform(pose: Pose): string[] {
  const { translate, orient } = placed(pose);
  return [`double3 xformOp:translate = ${translate}`, `quatf xformOp:orient = ${orient}`];
}

/** Width of the film [mm]: with its height and the focal length it makes the angle of view. */
const FILM = 36;

/** Camera, key light and sky. */
function viewPrims({ camera, key, sky }: ExportView): string[] {
  const height = FILM / camera.aspect;
  const focalLength = height / 2 / Math.tan(camera.fieldOfView / 2);
  const most = Math.max(...sky);
  return [
    plainPrim('Camera', 'camera', [
      'token projection = "perspective"',
      `float focalLength = ${number(focalLength)}`,
      `float horizontalAperture = ${FILM}`,
      `float verticalAperture = ${number(height)}`,
      `float2 clippingRange = ${vector([camera.near, camera.far])}`,
      ...xform(camera.pose),
      XFORM_ORDER,
    ]),
    plainPrim('DistantLight', 'key', distantLight(key)),
    plainPrim('DomeLight', 'sky', [
      `color3f inputs:color = ${vector(sky.map((c) => c / most))}`,
      `float inputs:intensity = ${number(most)}`,
    ]),
  ];
}

/** Its intensity is that on a surface, however large it is in the sky. */
function distantLight({ color, intensity, radius, pose }: ExportLight): string[] {
  return [
    `float inputs:angle = ${number((360 * radius) / Math.PI)}`,
    `color3f inputs:color = ${vector(color)}`,
    `float inputs:intensity = ${number(intensity)}`,
    'bool inputs:normalize = 1',
    ...xform(pose),
    XFORM_ORDER,
  ];
}

function plainPrim(type: string, name: string, lines: readonly string[]): string {
  return [`    def ${type} "${name}"`, '    {', ...lines.map((line) => `        ${line}`), '    }'].join('\n');
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

/** Inputs of a surface beside its colour. */
function surfaceInputs({ roughness, glass, file }: ExportMaterial): string[] {
  const opacity = glass?.opacity ?? (file?.alphaMode === 'blend' ? file.opacity : undefined);
  const ior = glass?.ior ?? file?.ior;
  return [
    `float inputs:roughness = ${number(roughness)}`,
    ...(file?.metalness ? [`float inputs:metallic = ${number(file.metalness)}`] : []),
    ...(file?.emissive ? [`color3f inputs:emissiveColor = ${vector(file.emissive)}`] : []),
    ...(opacity === undefined ? [] : [`float inputs:opacity = ${number(opacity)}`]),
    ...(ior === undefined ? [] : [`float inputs:ior = ${number(ior)}`]),
  ];
}

function materials(all: MaterialList): string {
  const prims = all.list.map((material, k) => {
    const { name, color, texture } = material;
    const path = `/world/materials/${materialName(k)}`;
    const diffuse = texture ? `.connect = <${path}/picture.outputs:rgb>` : ` = ${vector(color)}`;
    return `        def Material "${materialName(k)}" (
            displayName = ${JSON.stringify(name)}
        )
        {
            token outputs:surface.connect = <${path}/surface.outputs:surface>

            def Shader "surface"
            {
                uniform token info:id = "UsdPreviewSurface"
                color3f inputs:diffuseColor${diffuse}
                ${surfaceInputs(material).join('\n                ')}
                token outputs:surface
            }${texture ? pictureShaders(all.textureFile(texture), texture, color, path) : ''}
        }`;
  });
  return ['    def Scope "materials"', '    {', ...prims, '    }'].join('\n');
}

export const usda: Format = ({ name, frameRate, spacing, write, view }) => {
  const writer = new UsdaWriter(name, frameRate, view);
  return {
    add: (frame) => writer.add(frame, spacing),
    finish() {
      write('scene.usda', writer.text());
      writeTextures(writer.materials, write);
    },
  };
};
