// What must be accepted. Never run; `tsc --strict` reads it.
import { Dive, Sensor, SonometerError, Stage, StageCard, init, readLog, signCard, stages, verifyCard } from 'sonometer';
import type { Closing, DiveStep, Envelope, ErrorCode, Finding, Measured, Observation, Reading, Stamp, StageCardObject, StageEntry, Totals } from 'sonometer';
import type { Sensor as Other } from 'sonometer';

await init('https://example.org/sonometer.wasm');

using stage = Stage.shipped('drinking-less@1.0');
const own: Stage = Stage.fromSource({ sonometer_stage: 1 }, { shelf: ['sonometer: 1', { sonometer: 1 }] });
const envelope: Envelope = own.envelope;
const names: readonly string[] = [...stage.rules.checkpoints, ...stage.rules.flags];
const warnings: readonly Finding[] = stage.warnings;
const protocols: readonly Stamp[] = stage.target.protocols;
using dive: Dive = stage.open(7);
stage.open(7n);
stage.open();
const step: DiveStep = dive.act('text');
const observation: Observation = step.observation;
const measured: Measured = step.measured;
const totals: Totals = dive.totals;
const closing: Closing = { diveId: 'd', agent: { id: 'a', version: '1' }, summary: 'text' };
const card: StageCard = dive.close(closing);
const reason: 'passed' | 'checkpoint_missing' | 'flag_tripped' | 'max_turns' | 'ics_budget' | 'closed_early' = card.verdict.reason;
const scores: number[] | undefined = card.readings?.map(({ score }) => score);
const object: StageCardObject = card.toObject();
object.totals = { ...object.totals, ics: 1 };
const signed: StageCard = await signCard(card, new Uint8Array(32));
const checked: StageCard = await verifyCard(signed.json(), ['00', new Uint8Array(32)]);
checked.replay(dive.log, stage);
checked.replay(dive.log.join('\n'));
const actions: string[] = readLog(dive.log);
const again: Dive = stage.resume(dive.save());
const entries: readonly StageEntry[] = stages();
const sensor: Other = Sensor.shipped('courtesy');
const reading: Reading = sensor.sense('text');
try {
  StageCard.read('');
} catch (error) {
  if (error instanceof SonometerError && (error.code === 'card_mismatch' || error.code === 'not_supported')) {
    const code: ErrorCode = error.code;
    void code;
  }
}
void [envelope, names, warnings, protocols, observation, measured, totals, reason, scores, actions, again, entries, reading];
