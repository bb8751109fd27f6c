-- A room's oldest records can be removed: a checkpoint makes them superfluous.
ALTER TABLE room ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
