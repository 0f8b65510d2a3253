/** Wavefront OBJ: every mesh of a frame as an object of its own; and the materials of all frames, as MTL. */
import { toScreen } from '../render/picture.js';
import { type Format, numbered, writeTextures } from './format.js';
import { type ExportMesh, MaterialList } from './geometry.js';

/** Enough digits for every float32. */
const number = (x: number) => String(Number(x.toPrecision(9)));

function rows(key: string, values: Float32Array, components: number): string[] {
  const lines: string[] = [];
  for (let k = 0; k < values.length; k += components) {
    lines.push(`${key} ${Array.from(values.subarray(k, k + components), number).join(' ')}`);
  }
  return lines;
}

const plain = (name: string) => name.replace(/\s/g, '_');

function encodeObj(meshes: readonly ExportMesh[], materials: MaterialList, library: string): string {
  const lines = ['# metres, y up', `mtllib ${library}`];
  let [first, firstUv] = [1, 1];
  for (const { name, positions, normals, uvs, indices, parts } of meshes) {
    lines.push(`o ${plain(name)}`, ...rows('v', positions, 3), ...rows('vn', normals, 3));
    if (uvs) lines.push(...rows('vt', uvs, 2));
    for (const { material, begin, end } of parts) {
      lines.push(`usemtl ${plain(materials.list[materials.index(material)]!.name)}`);
      for (let k = begin; k < end; k += 3) {
        const corners = [0, 1, 2].map((c) => {
          const i = indices[k + c]!;
          return `${i + first}/${uvs ? i + firstUv : ''}/${i + first}`;
        });
        lines.push(`f ${corners.join(' ')}`);
      }
    }
    first += positions.length / 3;
    firstUv += (uvs?.length ?? 0) / 2;
  }
  return `${lines.join('\n')}\n`;
}

/** Colours in MTL are those of the screen. */
function encodeMtl(materials: MaterialList): string {
  const lines = materials.list.flatMap(({ name, color, roughness, texture, glass, file }) => [
    `newmtl ${plain(name)}`,
    ...(texture ? [`map_Kd ${materials.textureFile(texture)}`] : []),
    `Kd ${color.map((c) => number(toScreen(c))).join(' ')}`,
    // The exponent of a highlight about as wide as the roughness makes it.
    `Ns ${number(Math.min(1000, Math.max(1, 2 / roughness ** 4 - 2)))}`,
    ...(glass ? [`d ${number(glass.opacity)}`, `Ni ${number(glass.ior)}`, 'illum 7'] : []),
    ...(!glass && file?.alphaMode === 'blend' ? [`d ${number(file.opacity ?? 1)}`] : []),
    ...(file?.emissive ? [`Ke ${file.emissive.map((c) => number(toScreen(Math.min(1, c)))).join(' ')}`] : []),
  ]);
  return `${lines.join('\n')}\n`;
}

const MATERIALS = 'meshes.mtl';

export const obj: Format = ({ write }) => {
  const materials = new MaterialList(true);
  return {
    add({ frame, meshes, obstacles = [] }) {
      write(numbered('meshes', frame, 'obj'), encodeObj([...meshes, ...obstacles], materials, MATERIALS));
    },
    finish() {
      write(MATERIALS, encodeMtl(materials));
      writeTextures(materials, write);
    },
  };
};
