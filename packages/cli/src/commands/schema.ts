import type { Command } from 'commander';
import { sceneJsonSchema } from 'phyxel';

export function registerSchema(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of scene files')
    .action(() => {
      process.stdout.write(`${JSON.stringify(sceneJsonSchema(), null, 2)}\n`);
    });
}
