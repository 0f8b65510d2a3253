import { describe, expect, it } from 'vitest';
import { readMesh } from '../../src/mesh/index.js';
import { readObjLibraries } from '../../src/scene/obj-libraries.js';

const OBJ = `mtllib looks/tent.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl canvas
f 1 3 2
f 1 2 4
usemtl pole
f 1 4 3
usemtl nowhere
f 2 3 4
`;
const MTL = `# made by hand
newmtl canvas
  Kd 0.5 1 0
Ns 30
map_Kd -s 2 2 1 -clamp on my cloth.png
newmtl pole
Kd 0.2 0.2 0.2
Pr 0.25
`;
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const files: Readonly<Record<string, Uint8Array>> = { 'looks/tent.mtl': bytesOf(MTL), 'looks/my cloth.png': PNG };
const find = (from: typeof files) => (uri: string) => {
  const found = from[uri];
  if (!found) throw new Error(`no ${uri}`);
  return found;
};
const materialsOf = (resolve?: (uri: string) => Uint8Array) =>
  readMesh(bytesOf(OBJ), 'tent.obj', resolve).finish!.materials!.list;

describe('materials of an OBJ file', () => {
  it('have the colours, roughness and pictures of their library', () => {
    const [canvas, pole, nowhere] = materialsOf(find(files));
    // sRGB to linear light: 0.5 is 0.214, 0.2 is 0.0331.
    expect(canvas!.color!.map((c) => Number(c.toFixed(4)))).toEqual([0.214, 1, 0]);
    expect(pole!.color!.map((c) => Number(c.toFixed(4)))).toEqual([0.0331, 0.0331, 0.0331]);
    expect(canvas!.roughness).toBeCloseTo(0.5, 6);
    expect(pole!.roughness).toBe(0.25);
    expect(canvas!.texture).toEqual({ type: 'image/png', bytes: PNG, wrap: ['clamp', 'clamp'] });
    expect(nowhere).toEqual({ name: 'nowhere' });
  });

  it('have their names where the library or a picture is not there, or is none', () => {
    const names = [{ name: 'canvas' }, { name: 'pole' }, { name: 'nowhere' }];
    expect(materialsOf()).toEqual(names);
    expect(materialsOf(find({}))).toEqual(names);
    const broken = bytesOf('newmtl canvas\nKd red\nNs -3\nmap_Kd cloth.bmp\nKd 0.1 0.2\nmap_Kd\nKd\n\0\xff');
    expect(materialsOf(find({ 'looks/tent.mtl': broken }))[0]).toEqual({ name: 'canvas' });
    const [canvas] = materialsOf(find({ 'looks/tent.mtl': files['looks/tent.mtl']! }));
    expect(canvas!.texture).toBeUndefined();
  });

  it('are read beside the mesh of a scene', async () => {
    const read = (name: string) => Promise.resolve().then(() => find(files)(name));
    const resolve = await readObjLibraries(bytesOf(OBJ), read);
    expect(materialsOf(resolve)).toEqual(materialsOf(find(files)));
  });
});
