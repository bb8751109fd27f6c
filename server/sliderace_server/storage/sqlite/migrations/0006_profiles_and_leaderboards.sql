-- Profiles: a persistent name, and the devices that may use it.
CREATE TABLE profile (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,  -- Unix time, like all columns that end in _ms
    forget_at_ms INTEGER,  -- when it is to be deleted
    hidden TEXT,  -- why it is on no leaderboard
    devices INTEGER NOT NULL DEFAULT 0  -- number of the last device
) WITHOUT ROWID;

CREATE INDEX profile_to_forget ON profile (forget_at_ms) WHERE forget_at_ms IS NOT NULL;
CREATE INDEX profile_hidden ON profile (id) WHERE hidden IS NOT NULL;

CREATE TABLE profile_key (
    hash TEXT NOT NULL PRIMARY KEY,  -- SHA-256 of the secret
    profile TEXT NOT NULL REFERENCES profile (id) ON DELETE CASCADE,
    device INTEGER NOT NULL,  -- never given again in this profile
    name TEXT NOT NULL,
    added_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL,
    UNIQUE (profile, device)
) WITHOUT ROWID;

CREATE TRIGGER key_added AFTER INSERT ON profile_key BEGIN
    UPDATE profile SET devices = new.device WHERE id = new.profile;
END;

CREATE VIEW profile_to_create (id, name, created_ms, hash, device) AS
    SELECT NULL, NULL, NULL, NULL, NULL;

CREATE TRIGGER create_profile INSTEAD OF INSERT ON profile_to_create BEGIN
    INSERT INTO profile (id, name, created_ms)
        VALUES (new.id, new.name, new.created_ms);
    INSERT INTO profile_key VALUES
        (new.hash, new.id, 1, new.device, new.created_ms, new.created_ms);
END;

-- The columns after a record are read by following its pages: keep them few.
ALTER TABLE race ADD COLUMN kind TEXT NOT NULL DEFAULT 'room';
ALTER TABLE race ADD COLUMN md INTEGER NOT NULL DEFAULT 0;
ALTER TABLE race ADD COLUMN sealed_until_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE race ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
-- A pruned race has only the attempts of profiles, and no record.
ALTER TABLE race ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;

DROP INDEX race_by_start;
DROP INDEX race_by_room;
CREATE INDEX race_by_start ON race (started_ms, id) WHERE pruned = 0;
CREATE INDEX race_by_room ON race (room, started_ms, id) WHERE pruned = 0;

ALTER TABLE attempt ADD COLUMN input TEXT;
ALTER TABLE attempt ADD COLUMN counts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN solve_ms INTEGER;
ALTER TABLE attempt ADD COLUMN first_ms INTEGER;
ALTER TABLE attempt ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
-- Only in attempts of profiles; the rest repeats the race, so that nobody reads it.
ALTER TABLE attempt ADD COLUMN profile TEXT;
ALTER TABLE attempt ADD COLUMN event TEXT;
ALTER TABLE attempt ADD COLUMN number INTEGER;  -- of the profile's attempts, as stored
ALTER TABLE attempt ADD COLUMN started_ms INTEGER;
ALTER TABLE attempt ADD COLUMN public INTEGER;  -- counts on leaderboards
ALTER TABLE attempt ADD COLUMN daily INTEGER;  -- day on whose leaderboard it counts

CREATE INDEX attempt_by_profile ON attempt (
    profile, event, number, counts, bot, public, daily, started_ms, time_ms, input
) WHERE profile IS NOT NULL;

-- Caches, which a recount makes again from the attempts of profiles.
CREATE TABLE tally (
    profile TEXT NOT NULL,
    event TEXT NOT NULL,
    tally TEXT NOT NULL,  -- JSON, see sliderace_server.storage.standings.Tally
    PRIMARY KEY (profile, event)
) WITHOUT ROWID;

CREATE TABLE best (
    profile TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT NOT NULL,
    input TEXT NOT NULL,  -- of the leaderboard; '': all
    period INTEGER NOT NULL,  -- see sliderace_server.storage.standings.period
    value_ms INTEGER NOT NULL,
    race TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    used TEXT,  -- input of the attempts
    PRIMARY KEY (profile, event, kind, input, period)
) WITHOUT ROWID;

CREATE INDEX best_by_value ON best (event, kind, input, period, value_ms, started_ms);

CREATE VIEW standings_change (tallies, bests) AS SELECT NULL, NULL;

CREATE TRIGGER change_standings INSTEAD OF INSERT ON standings_change BEGIN
    INSERT INTO tally
        SELECT
            json_extract(value, '$[0]'),
            json_extract(value, '$[1]'),
            json_extract(value, '$[2]')
        FROM json_each(new.tallies) WHERE true
        ON CONFLICT DO UPDATE SET tally = excluded.tally;
    INSERT INTO best
        SELECT
            json_extract(value, '$[0]'),
            json_extract(value, '$[1]'),
            json_extract(value, '$[2]'),
            json_extract(value, '$[3]'),
            json_extract(value, '$[4]'),
            json_extract(value, '$[5]'),
            json_extract(value, '$[6]'),
            json_extract(value, '$[7]'),
            json_extract(value, '$[8]')
        FROM json_each(new.bests) WHERE true
        ON CONFLICT DO UPDATE SET
            value_ms = excluded.value_ms,
            race = excluded.race,
            started_ms = excluded.started_ms,
            used = excluded.used
        WHERE excluded.value_ms < value_ms;
END;

DROP TRIGGER store_race;
DROP VIEW race_to_store;

CREATE VIEW race_to_store (
    id, room, started_ms, size, public, record, kind, md, sealed_until_ms, day,
    attempts, tallies, bests
) AS SELECT
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL;

CREATE TRIGGER store_race INSTEAD OF INSERT ON race_to_store BEGIN
    SELECT raise(ABORT, 'the race is stored already')
        WHERE EXISTS (SELECT 1 FROM race WHERE id = new.id);
    INSERT INTO race VALUES
        (new.id, new.room, new.started_ms, new.size, new.public, new.record,
        new.kind, new.md, new.sealed_until_ms, new.day, 0);
    INSERT INTO attempt
        (race, rank, seat, name, status, place, time_ms, stm, mtm, bot, input, counts,
        solve_ms, first_ms, pauses, profile, number, public, daily, event, started_ms)
        SELECT
            new.id,
            key,
            json_extract(value, '$[0]'),
            json_extract(value, '$[1]'),
            json_extract(value, '$[2]'),
            json_extract(value, '$[3]'),
            json_extract(value, '$[4]'),
            json_extract(value, '$[5]'),
            json_extract(value, '$[6]'),
            json_extract(value, '$[7]'),
            json_extract(value, '$[8]'),
            json_extract(value, '$[9]'),
            json_extract(value, '$[10]'),
            json_extract(value, '$[11]'),
            json_extract(value, '$[12]'),
            json_extract(value, '$[13]'),
            json_extract(value, '$[14]'),
            json_extract(value, '$[15]'),
            json_extract(value, '$[16]'),
            iif(json_extract(value, '$[13]') IS NULL, NULL, new.size),
            iif(json_extract(value, '$[13]') IS NULL, NULL, new.started_ms)
        FROM json_each(new.attempts);
    INSERT INTO standings_change
        SELECT new.tallies, new.bests WHERE new.tallies IS NOT NULL;
END;

CREATE VIEW attempt_to_credit (race, seat, profile, number, public, daily, tallies, bests)
    AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL;

CREATE TRIGGER credit_attempt INSTEAD OF INSERT ON attempt_to_credit BEGIN
    UPDATE attempt SET
        profile = new.profile,
        number = new.number,
        public = new.public,
        daily = new.daily,
        (event, started_ms) = (SELECT size, started_ms FROM race WHERE id = new.race)
        WHERE race = new.race AND seat = new.seat;
    INSERT INTO standings_change VALUES (new.tallies, new.bests);
END;

-- The tries of daily races that are used up: one per profile, event and day.
CREATE TABLE daily (
    profile TEXT NOT NULL REFERENCES profile (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,  -- since 1970 in UTC
    event TEXT NOT NULL,
    room TEXT NOT NULL,
    PRIMARY KEY (profile, day, event)
) WITHOUT ROWID;

-- Deleting a profile takes several statements, because it may have many races.
CREATE VIEW profile_to_strip (id) AS SELECT NULL;

CREATE TRIGGER strip_profile INSTEAD OF INSERT ON profile_to_strip BEGIN
    DELETE FROM best WHERE profile = new.id;
    DELETE FROM tally WHERE profile = new.id;
    DELETE FROM profile_key WHERE profile = new.id;
    DELETE FROM daily WHERE profile = new.id;
END;

CREATE VIEW profile_to_delete (id, name) AS SELECT NULL, NULL;

CREATE TRIGGER delete_profile INSTEAD OF INSERT ON profile_to_delete BEGIN
    UPDATE attempt SET
        name = new.name,
        profile = NULL,
        event = NULL,
        number = NULL,
        started_ms = NULL,
        public = NULL,
        daily = NULL
        WHERE profile = new.id;
    DELETE FROM profile WHERE id = new.id;
END;

CREATE VIEW races_to_prune (ids) AS SELECT NULL;

CREATE TRIGGER prune_races INSTEAD OF INSERT ON races_to_prune BEGIN
    DELETE FROM attempt
        WHERE race IN (SELECT value FROM json_each(new.ids)) AND profile IS NULL;
    DELETE FROM race
        WHERE id IN (SELECT value FROM json_each(new.ids))
        AND NOT EXISTS (SELECT 1 FROM attempt WHERE race = race.id);
    UPDATE race SET record = x'', pruned = 1
        WHERE id IN (SELECT value FROM json_each(new.ids));
END;

-- When the server was last known to run, and when it was not.
CREATE TABLE alive (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at_ms INTEGER NOT NULL,
    latest_ms INTEGER NOT NULL  -- before the wall clock was set back, if it ever was
);

CREATE TABLE outage (
    began_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL
);

CREATE TRIGGER back_again AFTER UPDATE ON alive
WHEN new.at_ms - old.at_ms > 900000 BEGIN  -- see ports.ALIVE_GAP_MS
    INSERT INTO outage VALUES (old.at_ms, new.at_ms);
END;
