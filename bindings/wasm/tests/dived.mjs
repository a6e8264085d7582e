// A dive in a stage that ships, its card signed and checked, and the error for one that was changed: the same lines in Node
// and in Chromium.

/** The key of the first vector of RFC 8032, and a text that is its public key. */
export const SECRET = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
export const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

/** @param {typeof import('sonometer')} door */
export async function dived({ Stage, StageCard, SonometerError, signCard, verifyCard }) {
  const stage = Stage.shipped('drinking-less');
  const dive = stage.open(4n);
  const told = [dive.observation.world];
  const act = (action) => {
    const step = dive.act(action);
    told.push(step.json(), step.checkpoints.join());
  };
  act('It sounds like you came mostly for somebody else, and that for you a few glasses after work are simply part of the evening.');
  act('So you like how it helps you come down after work, and at the same time what your daughter said hurt.');
  act('No. That is your decision, and you know your life best. What would you want to be different, if anything?');
  const card = await signCard(dive.close({ diveId: 'dive-1', agent: { id: 'nobody' }, summary: 'Quiet 😀' }), SECRET);
  told.push(card.json());
  told.push((await verifyCard(card.json(), PUBLIC)).verdict.reason);
  card.replay(dive.log);
  const changed = StageCard.read(card.json().replace('Quiet', 'Loud'));
  try {
    await verifyCard(changed, `# mine\n${PUBLIC}`);
  } catch (error) {
    if (!(error instanceof SonometerError)) throw error;
    told.push(`${error.code} at ${error.place}: ${error.message}`);
  }
  dive.free();
  stage.free();
  return told;
}
