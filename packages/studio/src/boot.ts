/**
 * The first script of the page: starts the worker on the first scene, and fetches the rest of the studio meanwhile.
 * It is small on purpose.
 */
import { prepare } from './prepare.js';

/** Longest that the page waits for its first scene before it builds itself [ms]. */
const LONG = 500;

/** What this page needs of a browser besides WebGL 2, by the name that people know it by. */
function missingFeature(): string | undefined {
  // A module that uses one SIMD instruction.
  const simd = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ];
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(new Uint8Array(simd))) return 'WebAssembly with SIMD';
  return undefined;
}

function refuse(text: string): void {
  const main = document.createElement('main');
  main.className = 'refusal';
  main.setAttribute('role', 'alert');
  const title = document.createElement('h1');
  title.textContent = 'Phyxel studio cannot start';
  const reason = document.createElement('p');
  reason.textContent = text;
  main.append(title, reason);
  document.body.replaceChildren(main);
}

async function boot(): Promise<void> {
  const missing = missingFeature();
  if (missing) throw new Error(`This browser lacks ${missing}. A current Chrome, Edge, Firefox or Safari has it.`);
  const prepared = prepare();
  // The page's script keeps this thread busy: the worker gets its scene first, unless that takes long.
  await Promise.race([prepared.scene.catch(() => {}), new Promise((resolve) => setTimeout(resolve, LONG))]);
  const { start } = await import('./main.js');
  await start(prepared);
}

boot().catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
