// A stage, played by hand.
import { SonometerError, Stage, StageCard, verifyCard, type Dive, type DiveStep } from 'sonometer';
import type { CardTold, DiveState } from '../shared/asks.js';

let playing: { readonly stage: Stage; readonly dive: Dive; readonly reached: Set<string>; readonly tripped: Set<string> } | undefined;

/** Opens a dive in a stage that ships, or in the source of one. */
export function open(name: string, seed: number, shelf: readonly string[]): DiveState {
  const isSource = name.includes('\n');
  const options = { shelf };
  const stage = isSource ? Stage.fromSource(name, options) : Stage.shipped(name, options);
  playing?.dive.free();
  playing?.stage.free();
  playing = { stage, dive: stage.open(seed), reached: new Set(), tripped: new Set() };
  return state(undefined);
}

export function act(action: string): DiveState {
  const { dive, reached, tripped } = current();
  const step = dive.act(action);
  step.checkpoints.forEach((name) => reached.add(name));
  step.flags.forEach((name) => tripped.add(name));
  return state(step);
}

export function close(): { card: string; log: string } {
  const { dive, stage } = current();
  return { card: dive.close({ diveId: `${stage.id}-${dive.seed}` }).json(), log: dive.log.join('\n') };
}

function current(): NonNullable<typeof playing> {
  if (playing === undefined) throw new Error('open a dive first');
  return playing;
}

function state(step: DiveStep | undefined): DiveState {
  const { stage, dive, reached, tripped } = current();
  return {
    name: `${stage.name} (${stage.id}@${stage.version})`,
    objective: stage.objective,
    world: dive.observation.world,
    done: dive.done,
    turn: dive.turn,
    most: stage.rules.max_turns,
    totals: { ...dive.totals },
    checkpoints: stage.rules.checkpoints.map((name) => ({ name, reached: reached.has(name) })),
    flags: stage.rules.flags.map((name) => ({ name, tripped: tripped.has(name) })),
    counters: counters(dive.save()),
    ...(step === undefined ? {} : { measured: { ...step.measured } }),
  };
}

/** The state of the world, from what is saved. */
function counters(saved: string): DiveState['counters'] {
  const { vars, scene, turns_here: here } = JSON.parse(saved) as { vars: Record<string, number>; scene: string; turns_here: number };
  return { scene, 'turns here': here, ...vars };
}

/** Reads a card strictly; computes it again where there is a log, and checks its signature where there are keys. */
export async function verify(text: string, log: string, keys: string): Promise<CardTold> {
  const card = StageCard.read(text.trim());
  const checks: { what: string; holds: boolean; told: string }[] = [
    { what: 'form', holds: true, told: 'every key is as it must be, and the sums add up' },
  ];
  const check = async (what: string, good: string, work: () => unknown) => {
    try {
      await work();
      checks.push({ what, holds: true, told: good });
    } catch (error) {
      if (!(error instanceof SonometerError)) throw error;
      checks.push({ what, holds: false, told: error.place === '' ? error.message : `${error.place}: ${error.message}` });
    }
  };
  if (log.trim() !== '') await check('replay', 'the log gives every byte of this card again', () => card.replay(log));
  if (keys.trim() !== '') await check('signature', 'made with one of these keys', () => verifyCard(card, keys));
  return { card: card.toObject(), json: card.json(), checks };
}
