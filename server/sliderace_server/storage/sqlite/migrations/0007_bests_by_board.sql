-- Leaderboards in their order, without a second tree. Hidden profiles are on none.
DROP TRIGGER store_race;
DROP VIEW race_to_store;
DROP TRIGGER credit_attempt;
DROP VIEW attempt_to_credit;
DROP TRIGGER change_standings;
DROP VIEW standings_change;
DROP TRIGGER strip_profile;
DROP TRIGGER delete_profile;

DROP INDEX best_by_value;
ALTER TABLE best RENAME TO best_by_profile;

CREATE TABLE best (
    event TEXT NOT NULL,
    kind TEXT NOT NULL,
    input TEXT NOT NULL,  -- of the leaderboard; '': all
    period INTEGER NOT NULL,  -- see sliderace_server.storage.standings.period
    value_ms INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    profile TEXT NOT NULL,
    race TEXT NOT NULL,
    used TEXT,  -- input of the attempts
    PRIMARY KEY (event, period, kind, input, value_ms, started_ms, profile)
) WITHOUT ROWID;

INSERT INTO best
    SELECT event, kind, input, period, value_ms, started_ms, profile, race, used
    FROM best_by_profile
    WHERE profile NOT IN (SELECT id FROM profile WHERE hidden IS NOT NULL)
    ORDER BY event, period, kind, input, value_ms, started_ms, profile;

DROP TABLE best_by_profile;
DROP INDEX profile_hidden;

CREATE TRIGGER strip_profile INSTEAD OF INSERT ON profile_to_strip BEGIN
    DELETE FROM profile_key WHERE profile = new.id;
    DELETE FROM daily WHERE profile = new.id;
END;

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
    DELETE FROM tally WHERE profile = new.id;
    DELETE FROM profile WHERE id = new.id;
END;
