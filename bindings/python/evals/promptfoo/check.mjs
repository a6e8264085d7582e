// The same in JavaScript, by the entry that the npm package ships.
import { readingAssertion } from 'sonometer/promptfoo';

export default readingAssertion('courtesy@1.0', { atLeast: 0.4 });
