-- Callbacks. A notification is made with its job, in one transaction; it is due as soon as the job has ended.

CREATE TABLE deliveries (
    -- Also the `webhook-id`, the same in every attempt.
    id TEXT PRIMARY KEY,
    job_id TEXT NOT NULL REFERENCES jobs (id),
    org_id TEXT NOT NULL REFERENCES orgs (id),
    url TEXT NOT NULL,
    -- What is asked for: `complete`, `error`, or both.
    events TEXT NOT NULL,
    -- waiting, delivered, failed (given up), gone (the receiver wants no more), skipped (not asked for); all but the first are final.
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_ms BIGINT NOT NULL,
    worker TEXT NOT NULL,
    lease_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    ended_ms BIGINT NOT NULL
);
CREATE INDEX deliveries_due ON deliveries (status, next_ms);
CREATE INDEX deliveries_job ON deliveries (job_id);
CREATE INDEX deliveries_org ON deliveries (org_id, created_ms);

CREATE TABLE attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id),
    number BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    took_ms BIGINT NOT NULL,
    -- The status of the answer; 0: there was none.
    answered BIGINT NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number, at_ms)
);

-- What notifications of an organization are signed with. The newest signs for ever, those before it until `until_ms`.
CREATE TABLE secrets (
    org_id TEXT NOT NULL REFERENCES orgs (id),
    secret TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- 0: for ever.
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (org_id, secret)
);
