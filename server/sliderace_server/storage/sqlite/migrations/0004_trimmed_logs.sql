-- A room's oldest records can be removed: a checkpoint makes them superfluous. A room
-- without records is being created: its first append follows.
CREATE TABLE room_4 (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given again, unlike a code
    code TEXT NOT NULL UNIQUE,
    records INTEGER NOT NULL CHECK (records >= 0),  -- position at which its log ends
    last INTEGER,  -- id of its last append
    removed INTEGER NOT NULL DEFAULT 0  -- position up to which its log is removed
);

INSERT INTO sqlite_sequence (name, seq)
    SELECT 'room_4', seq FROM sqlite_sequence WHERE name = 'room';
INSERT INTO room_4 (number, code, records, last)
    SELECT number, code, records, last FROM room;
DROP TABLE room;
ALTER TABLE room_4 RENAME TO room;

-- From here on every change is one statement, which commits by itself: the writing
-- connection is never inside a transaction while the event loop takes its turn.
CREATE TRIGGER appended AFTER INSERT ON log BEGIN
    UPDATE room SET records = new.start + new.count, last = new.id
    WHERE number = new.room;
END;

CREATE VIEW room_to_drop (code, now_ms, reserved_until_ms) AS SELECT NULL, NULL, NULL;

CREATE TRIGGER drop_room INSTEAD OF INSERT ON room_to_drop BEGIN
    DELETE FROM room WHERE code = new.code;
    DELETE FROM resting WHERE until_ms <= new.now_ms OR room = new.code;
    INSERT INTO resting
        SELECT new.code, new.reserved_until_ms WHERE new.reserved_until_ms > new.now_ms;
END;

CREATE VIEW race_to_store (id, room, started_ms, size, public, record, attempts) AS
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL;

CREATE TRIGGER store_race INSTEAD OF INSERT ON race_to_store
WHEN NOT EXISTS (SELECT 1 FROM race WHERE id = new.id) BEGIN
    INSERT INTO race VALUES
        (new.id, new.room, new.started_ms, new.size, new.public, new.record);
    INSERT INTO attempt
        (race, rank, seat, name, status, place, time_ms, stm, mtm, bot)
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
            json_extract(value, '$[7]')
        FROM json_each(new.attempts);
END;
