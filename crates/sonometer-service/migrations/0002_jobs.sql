-- Work that is answered later. The body is kept until the job ends, and is erased with it.

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    mode TEXT NOT NULL,
    token_id TEXT NOT NULL,
    token_cap_micros BIGINT NOT NULL,
    -- processing, completed, failed, cancelled; the last three are final.
    status TEXT NOT NULL,
    -- Which request it was.
    route TEXT NOT NULL,
    body TEXT NOT NULL,
    -- What the target meant when the job was made.
    target_version TEXT NOT NULL,
    total BIGINT NOT NULL,
    done BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- 0: nobody works on it yet.
    started_ms BIGINT NOT NULL,
    -- 0: it has not ended.
    ended_ms BIGINT NOT NULL,
    -- Who works on it, and until when it is theirs.
    worker TEXT NOT NULL,
    lease_ms BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    -- The answer, or the inner object of the error.
    result TEXT NOT NULL
);
CREATE INDEX jobs_waiting ON jobs (status, lease_ms, created_ms);
CREATE INDEX jobs_ended ON jobs (ended_ms);

-- An answer under a key may also be that a job was made.
ALTER TABLE answers ADD COLUMN status BIGINT NOT NULL DEFAULT 200;
