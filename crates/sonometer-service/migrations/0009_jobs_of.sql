-- Jobs of an account and of an organization are found without those of others.
CREATE INDEX jobs_of_account ON jobs (account_id, created_ms, id, ended_ms);
CREATE INDEX jobs_of_org ON jobs (org_id, status, created_ms, id);
