-- The metamarkers of a target, in its order. A row of the ledger that would name very many of them says
-- `~digest:` and where they are in this list.
CREATE TABLE marker_lists (
    -- SHA-256 of the names.
    digest TEXT PRIMARY KEY,
    -- With a space between them.
    names TEXT NOT NULL
);
