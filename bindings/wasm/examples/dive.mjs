// Dives a stage in a terminal, a line an action, and prints its card; an agent would stand where the lines are read.
// Run it: node dive.mjs [STAGE] [SEED]
import { createInterface } from 'node:readline';
import { Stage } from 'sonometer';

const [name = 'billing-dispute', seed = '0'] = process.argv.slice(2);
const stage = Stage.shipped(name);
const dive = stage.open(BigInt(seed));
console.log(`${stage.objective.trim()}\n\n    ${dive.observation.world}`);

for await (const action of createInterface({ input: process.stdin })) {
  try {
    const { observation, measured, checkpoints, flags } = dive.act(action);
    console.log(`\n[${observation.turn}/${stage.rules.max_turns}] ${action}   (score ${measured.score})`);
    for (const reached of checkpoints) console.log(`    ✓ ${reached}`);
    for (const tripped of flags) console.log(`    ✗ ${tripped}`);
    console.log(`    ${observation.world}`);
  } catch (error) {
    if (error.code !== 'action_too_long') throw error;
    console.log(`    ${error.message}`);
  }
  if (dive.done) break;
}

const card = dive.close({ diveId: `${stage.id}-${seed}` });
card.replay(dive.log, stage);
console.log(`\n${card.verdict.passed ? 'passed' : 'failed'}: ${card.verdict.reason}\n${card.json()}`);
