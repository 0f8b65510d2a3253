// Random elastic liquids over their ranges, dropped on a hot plate, molten and frozen: the test of random materials
// with more of them. A failure prints its seed. `node scripts/torture-melting.mjs [count = 1000] [seed = 1]`
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [count = '1000', seed = '1'] = process.argv.slice(2);
const { status } = spawnSync('npx', ['vitest', 'run', 'packages/core/test/laws/random-melting.test.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, PHYXEL_RUNS: count, PHYXEL_SEED: seed },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
