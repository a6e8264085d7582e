// What a new page begins with.

export const EMPTY = `sonometer: 1
id: my-protocol
version: "1.0"
taxonomy: Signal
language: en
# The fewest words of a talk that is measured.
fidelity: {words: 1}
markers:
  - label: thanks
    # One pattern a line. (a|b): either; word~: any form of it;
    # ..3..: up to three words between; <date>: any date.
    strong: |
      thank you
    # What must be found; lines under miss must not be found.
    hit: |
      Thank you.
`;

export const LATE = `# Does an agent keep the customer informed when an order is late?
sonometer: 1
id: late-order
name: Late order
version: "1.0"
taxonomy: Good_Practice
language: en
actants: {primary: agent, secondary: customer}
fidelity: {words: 10}
lists:
  when: today | tomorrow | <date> | <time>
markers:
  - label: apology
    by: agent
    negation: drop
    strong: |
      sorry (about|for)
      apologize~
    hit: |
      agent: I am sorry about the delay.
      agent: We apologize for the delay.
    miss: |
      agent: I am not sorry about it.
      customer: I'm sorry for asking again.
  - label: new_date
    importance: high
    by: agent
    strong: |
      (arrive~|be there|deliver~) ..4.. @when
    hit: |
      agent: It will arrive tomorrow.
      agent: Your order will be there on Monday, May 4.
    miss: |
      customer: It should have arrived today.
      agent: It will arrive soon.
  - label: blame
    pole: against
    by: agent
    strong: |
      your fault
    clear: |
      you should have
    trigger: 0.35
    hit: |
      agent: You should have called earlier.
      agent: That is your own fault, it is your fault alone.
    miss: |
      customer: You should have called me.
tests:
  - name: sorry, and when
    talk: |
      customer: Where is my order? It should have arrived on Friday.
      agent: I am so sorry about that. It will be delivered tomorrow.
    expect: {fires: [apology, new_date], score: {at_least: 0.9}}
`;

export const LATE_TALK = `customer: Hello, my parcel is late again. It should have arrived on Friday. What happened to it?
agent: I do apologize. The driver fell ill, but you should have called us on Friday.
customer: I did call, twice. When will it be here?
agent: I am sorry for the trouble. It will arrive tomorrow.`;

/** A talk in which a protocol that ships finds something, by its id. */
export const TALKS: Readonly<Record<string, string>> = {
  courtesy:
    'agent: Good morning, thank you so much for your patience. Could you please tell me which lights are on?\ncustomer: You never listen. The red one, as I said.\nagent: I appreciate that, and I am sorry for asking again.',
  'personal-data': 'customer: My card is 4111 1111 1111 1111, mail me at imke@example.org.\nagent: Thank you. Please do not send card numbers here.',
  'pressure-tactics':
    'agent: This offer ends tonight, only three seats are left. You would be a fool to miss it.\ncustomer: Let me think about it.\nagent: Everybody else has signed already. Act now.',
};
