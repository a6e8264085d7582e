-- What each row of the ledger came from, so that a bill adds up by itself. Rows that an older version wrote have the empty text
-- and 0: not known.

-- `X-Request-Id` of the request, made by the service or sent by the client.
ALTER TABLE ledger ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
-- `Idempotency-Key` of the request; also empty where it sent none.
ALTER TABLE ledger ADD COLUMN idempotency_key TEXT NOT NULL DEFAULT '';
-- sense, file, compare, batch, stream, job, dive.
ALTER TABLE ledger ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE ledger ADD COLUMN target_digest TEXT NOT NULL DEFAULT '';
-- The keys of the metamarkers that were charged, with a space between them. As many as there are units.
ALTER TABLE ledger ADD COLUMN markers TEXT NOT NULL DEFAULT '';
-- The number of the row in its account and period, from 1, and the row of `consumption` right after it. A row that is missing,
-- or was changed, breaks this chain at its place.
ALTER TABLE ledger ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN used_after BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN overage_after BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN cost_after BIGINT NOT NULL DEFAULT 0;
CREATE INDEX ledger_request ON ledger (account_id, request_id) WHERE request_id <> '';

-- A job is charged long after its request has ended.
ALTER TABLE jobs ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN idempotency_key TEXT NOT NULL DEFAULT '';
