-- All rooms write at the end of one table: a commit touches few pages, however many
-- rooms are in it. A room finds its records from the last append to the first.
ALTER TABLE log RENAME TO log_by_room;

CREATE TABLE room (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given again, unlike a code
    code TEXT NOT NULL UNIQUE,
    records INTEGER NOT NULL CHECK (records > 0),
    last INTEGER NOT NULL  -- id of its last append
);

CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    room INTEGER NOT NULL,  -- a number that is missing in room: to be swept away
    before INTEGER,  -- id of the room's append before this one
    start INTEGER NOT NULL CHECK (start >= 0),  -- records of the room before these
    count INTEGER NOT NULL CHECK (count > 0),
    sizes TEXT NOT NULL,  -- of each record, in bytes, with commas between
    records BLOB NOT NULL
);

INSERT INTO room (code, records, last)
    SELECT room, count(*), sum(count(*)) OVER (ORDER BY room)
    FROM log_by_room GROUP BY room;

INSERT INTO log
    SELECT
        row_number() OVER (ORDER BY log_by_room.room, position),
        number,
        CASE WHEN position > 1 THEN
            row_number() OVER (ORDER BY log_by_room.room, position) - 1
        END,
        position - 1,
        1,
        length(record),
        record
    FROM log_by_room JOIN room ON code = log_by_room.room;

DROP TABLE log_by_room;
