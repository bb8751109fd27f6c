-- Codes of rooms that are no more, until they may be given again.
CREATE TABLE resting (
    room TEXT NOT NULL PRIMARY KEY,
    until_ms INTEGER NOT NULL  -- Unix time
) WITHOUT ROWID;
