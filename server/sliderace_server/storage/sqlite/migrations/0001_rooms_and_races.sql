-- "SlRc": tells our file from any other SQLite database.
PRAGMA application_id = 1399607907;

CREATE TABLE log (
    room TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position > 0),
    record BLOB NOT NULL,
    PRIMARY KEY (room, position)
) WITHOUT ROWID;

CREATE TABLE race (
    id TEXT NOT NULL PRIMARY KEY,
    room TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    size TEXT NOT NULL,
    public INTEGER NOT NULL CHECK (public IN (0, 1)),
    record BLOB NOT NULL
);

CREATE INDEX race_by_start ON race (started_ms, id);
CREATE INDEX race_by_room ON race (room, started_ms, id);

CREATE TABLE attempt (
    race TEXT NOT NULL REFERENCES race (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    rank INTEGER NOT NULL,  -- line in the standings, 0 is the first
    name TEXT NOT NULL,
    bot INTEGER NOT NULL CHECK (bot IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('finished', 'dnf', 'forfeited', 'dns')),
    place INTEGER CHECK (place > 0),
    time_ms INTEGER CHECK (time_ms >= 0),
    stm INTEGER NOT NULL CHECK (stm >= 0),
    mtm INTEGER NOT NULL CHECK (mtm >= 0),
    PRIMARY KEY (race, seat),
    -- Who did not finish has no time: a number would win the leaderboard.
    CHECK ((status = 'finished') = (time_ms IS NOT NULL))
) WITHOUT ROWID;
