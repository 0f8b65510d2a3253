import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputTypes } from '../../../../scripts/build-types.mjs';
import { inputJsonSchema } from '../../src/scene/index.js';

test('the types of options are those of their declarations; `npm run docs` writes them', () => {
  const committed = readFileSync(new URL('../../src/options/inputs.ts', import.meta.url), 'utf8');
  expect(committed).toBe(inputTypes(inputJsonSchema()));
});

/** TypeScript's language server, asked as an editor asks it. */
class Editor {
  readonly #server: ChildProcess;
  readonly #answers = new Map<number, (result: never) => void>();
  #received = Buffer.alloc(0);
  #next = 1;

  constructor() {
    const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));
    this.#server = spawn(process.execPath, [compiler, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#server.stdout!.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      for (;;) {
        const head = this.#received.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, head).toString())![1]);
        if (this.#received.length < head + 4 + length) return;
        const message = JSON.parse(this.#received.subarray(head + 4, head + 4 + length).toString());
        this.#received = this.#received.subarray(head + 4 + length);
        // What the server asks of the editor is answered with nothing.
        if (message.method && message.id !== undefined) this.#send({ id: message.id, result: null });
        else if (message.id !== undefined) this.#answers.get(message.id)?.(message.result as never);
      }
    });
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#server.stdin!.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  tell(method: string, params: object): void {
    this.#send({ method, params });
  }

  ask<T>(method: string, params: object): Promise<T> {
    const id = this.#next++;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  close(): void {
    this.#server.kill();
  }
}

const PROGRAM = `import { createWorld } from 'phyxel';
import { connectWorld } from 'phyxel/browser';
const world = await createWorld({ gravity: [0, 0, 0] });
world.addBody({
  name: 'ball',
  shape: { sphere: { radius: 0.1 } },
  material: { youngsModulus: 1e5 },
});
world.setMaterial('ball', { surfaceTension: 1 });
await connectWorld().open({ scene: { phyxel: 1, frameRate: 30, obstacles: [{ shape: { plane: { offset: 0 } } }] } });
`;

let editor: Editor;
const uri = pathToFileURL(fileURLToPath(new URL('program.ts', import.meta.url))).href;

beforeAll(async () => {
  editor = new Editor();
  await editor.ask('initialize', { processId: null, rootUri: null, capabilities: {} });
  editor.tell('initialized', {});
  editor.tell('textDocument/didOpen', {
    textDocument: { uri, languageId: 'typescript', version: 1, text: PROGRAM },
  });
});
afterAll(() => editor?.close());

/** What is shown over a word of the program. */
async function hover(word: string): Promise<string> {
  const at = PROGRAM.indexOf(`${word}:`);
  const before = PROGRAM.slice(0, at).split('\n');
  const position = { line: before.length - 1, character: before.at(-1)!.length };
  const found = await editor.ask<{ contents: { value: string } } | null>('textDocument/hover', {
    textDocument: { uri },
    position,
  });
  return found?.contents.value ?? '';
}

test.each([
  ['gravity', 'Gravitational acceleration [m/s2]', '[0, -9.81, 0]'],
  ['sphere', 'A ball centred on its origin', ''],
  ['radius', 'Radius [m]; > 0', ''],
  ['youngsModulus', "Young's modulus: the stiffness in tension [Pa]; > 0", '100000'],
  ['surfaceTension', 'Surface tension', ''],
  ['frameRate', 'Frames for each second of simulated time', '30'],
  ['plane', 'Everything below a plane', ''],
  ['offset', 'Distance from the origin along the normal [m]', '0'],
])('an editor shows the text and unit of %s', async (word, text, standard) => {
  const shown = await hover(word);
  expect(shown).toContain(text);
  expect(shown).toContain(standard);
});
