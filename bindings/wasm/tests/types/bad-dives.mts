// What must be refused: `tsc` fails where a line below is accepted.
import { Dive, Stage, StageCard, signCard, verifyCard } from 'sonometer';

const stage = Stage.shipped('drinking-less');
const dive = stage.open();
const card = dive.close({ diveId: 'd' });

// @ts-expect-error made with `shipped` and `from`
new Stage('drinking-less');
// @ts-expect-error opened by stages
new Dive();
// @ts-expect-error a number or a bigint
stage.open('7');
// @ts-expect-error no such option
Stage.fromSource('', { shipped: false });
// @ts-expect-error what senses the stage can always be found in the catalogue
Stage.shipped('drinking-less', { shipped: false });
// @ts-expect-error a text
dive.act(7);
// @ts-expect-error a dive has an id
dive.close({});
// @ts-expect-error no such member
dive.close({ diveId: 'd', mode: 'graded' });
// @ts-expect-error an agent has an id
dive.close({ diveId: 'd', agent: { version: '1' } });
// @ts-expect-error frozen
card.totals.ics = 7;
// @ts-expect-error frozen
card.verdict.flags_tripped.push('x');
// @ts-expect-error not on every card
const a: string = card.signature;
// @ts-expect-error a promise
const b: StageCard = signCard(card, '');
// @ts-expect-error keys are texts or bytes
await verifyCard(card, [7]);
// @ts-expect-error a log and a stage
card.replay(dive.log, 'drinking-less');
// @ts-expect-error results are not `any`
dive.act('x').observations;
void [a, b];
