-- One text for SQLite and PostgreSQL: BIGINT and TEXT only, times as milliseconds since 1970, money as millionths of a
-- US dollar, "none" as 0, -1 or the empty text, so that no NULL is ever stored.

CREATE TABLE orgs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- Goes up with every change of what the organization has published.
    revision BIGINT NOT NULL
);

-- One for each organization and mode: what test tokens do never touches what live tokens pay.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    mode TEXT NOT NULL,
    tier TEXT NOT NULL,
    quota BIGINT NOT NULL,
    -- 1: goes on beyond the quota, at the rate; 0: stops there.
    overage BIGINT NOT NULL,
    rate_micros BIGINT NOT NULL,
    -- The most that overage may cost in a period; -1: no cap.
    cap_micros BIGINT NOT NULL,
    -- Requests of one token in one window.
    per_window BIGINT NOT NULL,
    UNIQUE (org_id, mode)
);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    mode TEXT NOT NULL,
    name TEXT NOT NULL,
    -- SHA-256; the token itself is nowhere.
    hash TEXT NOT NULL UNIQUE,
    -- Its last characters, by which people tell tokens apart.
    ending TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- The most overage that this token may cause in a period; -1: no cap of its own.
    cap_micros BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- 0: never.
    expires_ms BIGINT NOT NULL,
    revoked_ms BIGINT NOT NULL
);

-- What an account used in a month. A new month is a new row: nothing is ever reset.
CREATE TABLE consumption (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    period TEXT NOT NULL,
    used BIGINT NOT NULL,
    overage BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL,
    analyses BIGINT NOT NULL,
    PRIMARY KEY (account_id, period)
);

-- Every measurement that was charged. Its sums are the rows of `consumption`.
CREATE TABLE ledger (
    charge_id TEXT NOT NULL,
    line BIGINT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    token_id TEXT NOT NULL,
    period TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    route TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_version TEXT NOT NULL,
    units BIGINT NOT NULL,
    overage BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL,
    PRIMARY KEY (charge_id, line)
);
CREATE INDEX ledger_history ON ledger (account_id, period, at_ms, charge_id, line);
CREATE INDEX ledger_token ON ledger (token_id, period);

-- Answers to requests that carried a key of the caller, so that a repetition gets the same answer and costs nothing.
CREATE TABLE answers (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    route TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_sha TEXT NOT NULL,
    answer TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, route, idempotency_key)
);
CREATE INDEX answers_age ON answers (at_ms);

-- What organizations publish for themselves. A published version never changes; only its status may become archived.
CREATE TABLE targets (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    source TEXT NOT NULL,
    changed_ms BIGINT NOT NULL,
    PRIMARY KEY (org_id, kind, id, version)
);
