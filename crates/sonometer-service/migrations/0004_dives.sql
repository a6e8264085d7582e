-- Stages, who may dive them, and dives with their steps.

-- What organizations publish as worlds. A published version never changes; only its status may become archived.
CREATE TABLE stages (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    source TEXT NOT NULL,
    changed_ms BIGINT NOT NULL,
    PRIMARY KEY (org_id, id, version)
);

-- Whom an organization lets into a stage of its own, where that is not as the file says.
CREATE TABLE stage_access (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    stage_id TEXT NOT NULL,
    -- free, entitled, invite, session; empty: as the file says.
    access_mode TEXT NOT NULL,
    -- A verifier (argon2id); `none`: nobody is asked; empty: as the file says.
    password TEXT NOT NULL,
    PRIMARY KEY (org_id, stage_id)
);

-- What opens a stage: `entitled` names an organization, `invite` a token, `session` the session.
CREATE TABLE stage_grants (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    stage_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    -- 0: for ever.
    until_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (org_id, stage_id, kind, holder)
);
CREATE INDEX stage_grants_holder ON stage_grants (kind, holder, stage_id);

-- Passwords that were tried and not found right.
CREATE TABLE password_tries (
    id TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    token_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL
);
CREATE INDEX password_tries_stage ON password_tries (stage, token_id, at_ms);

-- A stage with everything that senses it, as a dive found it: what is published or archived later changes no dive.
CREATE TABLE worlds (
    digest TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    -- A list of what senses it.
    parts TEXT NOT NULL
);

CREATE TABLE dives (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    token_id TEXT NOT NULL,
    -- Whose stage it is; empty: it ships.
    stage_org TEXT NOT NULL,
    stage_id TEXT NOT NULL,
    stage_version TEXT NOT NULL,
    world TEXT NOT NULL REFERENCES worlds (digest),
    -- practice or graded.
    mode TEXT NOT NULL,
    seed_source TEXT NOT NULL,
    -- The tag of the caller for its agent; empty: none was given.
    agent_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    -- By what attempts are counted.
    counted TEXT NOT NULL,
    -- Which attempt it was, from 1.
    number BIGINT NOT NULL,
    -- open, closed.
    status TEXT NOT NULL,
    turns BIGINT NOT NULL,
    -- Everything that the dive is between two actions, as the engine writes it; empty once it is closed.
    state TEXT NOT NULL,
    -- What the world showed last.
    observation TEXT NOT NULL,
    opened_ms BIGINT NOT NULL,
    -- The latest action.
    touched_ms BIGINT NOT NULL,
    -- 0: it is open.
    closed_ms BIGINT NOT NULL,
    -- The StageCard, signed; empty as long as it is open.
    card TEXT NOT NULL
);
CREATE INDEX dives_attempts ON dives (account_id, stage_org, stage_id, mode, counted, opened_ms);
CREATE INDEX dives_org ON dives (org_id, opened_ms);
CREATE INDEX dives_idle ON dives (status, touched_ms);
CREATE INDEX dives_closed ON dives (closed_ms);

CREATE TABLE dive_steps (
    dive_id TEXT NOT NULL REFERENCES dives (id),
    turn BIGINT NOT NULL,
    action TEXT NOT NULL,
    answer TEXT NOT NULL,
    units BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (dive_id, turn)
);

-- What cards are signed with. `slot` is `current` for the one that signs, so that there is never another.
CREATE TABLE signing_keys (
    key_id TEXT PRIMARY KEY,
    slot TEXT NOT NULL UNIQUE,
    secret TEXT NOT NULL,
    public_key TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- 0: it signs.
    retired_ms BIGINT NOT NULL
);
