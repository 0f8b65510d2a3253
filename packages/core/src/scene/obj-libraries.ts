import { mtlFiles, mtlPictures } from '../mesh/mtl.js';

/** Reads the materials that an OBJ file names, and their pictures, as far as they are there. Paths count from the file. */
export async function readObjLibraries(
  bytes: Uint8Array,
  read: (name: string) => Promise<Uint8Array>,
): Promise<(uri: string) => Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  const take = async (name: string): Promise<Uint8Array | undefined> => {
    try {
      const found = await read(name);
      contents.set(name, found);
      return found;
    } catch {
      return undefined;
    }
  };
  const text = new TextDecoder();
  for (const name of mtlFiles(text.decode(bytes))) {
    const library = await take(name);
    const beside = name.slice(0, name.lastIndexOf('/') + 1);
    for (const picture of library ? mtlPictures(text.decode(library)) : []) await take(beside + picture);
  }
  return (uri) => {
    const found = contents.get(uri);
    if (!found) throw new RangeError(`"${uri}" was not read`);
    return found;
  };
}
