-- What a token with a cap has spent is added up from this index alone, and from the rows that came since it was last added up.
-- Where the ledger of PostgreSQL is large, it can be made before the upgrade (docs/service.md, Upgrades).
CREATE INDEX IF NOT EXISTS ledger_spent ON ledger (token_id, period, number, cost_micros);
DROP INDEX ledger_token;
