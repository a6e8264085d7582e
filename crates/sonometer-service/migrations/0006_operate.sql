-- Operating the service: who administered what, and requests that all nodes count together.

CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    -- A token, or `command`.
    actor TEXT NOT NULL,
    -- The address of a client, or the user of the machine.
    origin TEXT NOT NULL,
    action TEXT NOT NULL,
    -- Empty: it is about no organization.
    org_id TEXT NOT NULL,
    -- What it was done to.
    subject TEXT NOT NULL,
    -- begun, done, or the code of the refusal.
    outcome TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at_ms, id);
CREATE INDEX audit_org ON audit (org_id, at_ms, id);

-- Requests of a token in a minute that nodes have taken for themselves; on PostgreSQL only.
CREATE TABLE rate_windows (
    token_id TEXT NOT NULL,
    -- Minutes since 1970.
    minute BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    PRIMARY KEY (token_id, minute)
);
