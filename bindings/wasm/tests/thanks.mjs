/** A small protocol that takes any amount of text. */
export const thanks = {
  sonometer: 1,
  id: 'thanks',
  version: '1.0',
  taxonomy: 'Signal',
  score: 'any',
  fidelity: { sufficient: 0 },
  markers: [{ label: 'gratitude', strong: 'thank you', hit: 'thank you' }],
};
