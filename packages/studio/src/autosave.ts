/** The scene as it was last changed, in the browser's own storage, so that a closed tab loses nothing. */
import type { Files } from './document.js';

export interface Saved {
  readonly text: string;
  readonly fileName: string;
  readonly files: Files;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const NAME = 'phyxel-studio';
const KEY = 'last';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('scenes');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function withStore<T>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const request = run(db.transaction('scenes', mode).objectStore('scenes'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    }).finally(() => db.close());
  } catch {
    // Private windows may have no storage; everything else works without.
    return undefined;
  }
}

export async function saveScene(saved: Saved): Promise<void> {
  await withStore('readwrite', (store) => store.put(saved, KEY));
}

export async function loadSaved(): Promise<Saved | undefined> {
  return withStore<Saved | undefined>('readonly', (store) => store.get(KEY));
}
