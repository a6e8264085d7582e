// The answers of this door to dives and cards, put together from the engine's own texts (`fixtures/dives/README.md`).
import { told } from './answer.mjs';

/** Stages that were read, or what is wrong with them: reading one that ships takes longer than playing it. */
const known = new Map();

function stageOf({ Stage, SonometerError }, stage, shelf) {
  const key = JSON.stringify([stage, shelf]);
  if (!known.has(key)) {
    const isSource = stage.includes('\n') || stage.startsWith('{');
    try {
      known.set(key, isSource ? Stage.fromSource(stage, { shelf }) : Stage.shipped(stage, { shelf }));
    } catch (error) {
      if (!(error instanceof SonometerError)) throw error;
      known.set(key, error);
    }
  }
  const found = known.get(key);
  if (found instanceof SonometerError) throw found;
  return found;
}

/** A dive from its opening to its card. */
export async function diveAnswer(door, { stage, shelf, seed, actions, pause, closing, key }) {
  const ready = stageOf(door, stage, shelf);
  let dive = ready.open(BigInt(seed));
  const pauseIf = () => {
    if (!pause) return;
    const saved = dive.save();
    dive.free();
    dive = ready.resume(saved);
  };
  const opened = dive.observation.json();
  pauseIf();
  const steps = [];
  for (const action of actions) {
    try {
      steps.push(dive.act(action).json());
    } catch (error) {
      if (!(error instanceof door.SonometerError)) throw error;
      steps.push(told(error));
    }
    pauseIf();
  }
  const { dive_id: diveId, agent, summary } = closing;
  const by = agent === null ? undefined : { id: agent.id, version: agent.version ?? undefined };
  let card = dive.close({ diveId, agent: by, summary: summary ?? undefined });
  if (key !== null) card = await door.signCard(card, key);
  const { log, chain } = dive;
  dive.free();
  return `{"opened":${opened},"steps":[${steps}],"log":[${log}],"chain":"${chain}","card":${card.json()}}`;
}

/** Whether a card holds. */
export async function proofAnswer(door, { text, keys, log, stage, shelf }) {
  const card = door.StageCard.read(text);
  if (keys !== null) await door.verifyCard(card, keys);
  if (log !== null) {
    door.readLog(log);
    card.replay(log, stageOf(door, stage ?? `${card.stage.id}@${card.stage.version}`, shelf));
  }
  return '{"holds":true}';
}
