-- The tables have the columns of those in SQLite, see the migrations there. Texts that
-- are compared or sorted have the collation "C", as in SQLite and Python.

CREATE TABLE race (
    id text COLLATE "C" PRIMARY KEY,
    room text COLLATE "C" NOT NULL,
    started_ms bigint NOT NULL,
    size text NOT NULL,
    public boolean NOT NULL,
    record bytea NOT NULL,
    kind text NOT NULL,
    md int NOT NULL,
    sealed_until_ms bigint NOT NULL,
    day int NOT NULL,
    -- A pruned race has only the attempts of profiles, and no record.
    pruned boolean NOT NULL DEFAULT false
);

CREATE INDEX race_by_start ON race (started_ms, id) WHERE NOT pruned;
CREATE INDEX race_by_room ON race (room, started_ms, id) WHERE NOT pruned;

CREATE TABLE profile (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_ms bigint NOT NULL,
    forget_at_ms bigint,
    hidden text,
    devices int NOT NULL DEFAULT 0
);

CREATE INDEX profile_to_forget ON profile (forget_at_ms) WHERE forget_at_ms IS NOT NULL;

CREATE TABLE profile_key (
    hash text COLLATE "C" PRIMARY KEY,
    profile text COLLATE "C" NOT NULL REFERENCES profile (id) ON DELETE CASCADE,
    device int NOT NULL,
    name text NOT NULL,
    added_ms bigint NOT NULL,
    used_ms bigint NOT NULL,
    UNIQUE (profile, device)
);

CREATE TABLE attempt (
    race text COLLATE "C" NOT NULL REFERENCES race (id) ON DELETE CASCADE,
    seat int NOT NULL,
    rank int NOT NULL,
    name text NOT NULL,
    bot boolean NOT NULL,
    status text NOT NULL CHECK (status IN ('finished', 'dnf', 'forfeited', 'dns')),
    place int CHECK (place > 0),
    time_ms bigint CHECK (time_ms >= 0),
    stm int NOT NULL CHECK (stm >= 0),
    mtm int NOT NULL CHECK (mtm >= 0),
    input text,
    counts boolean NOT NULL,
    solve_ms bigint,
    first_ms bigint,
    pauses int NOT NULL,
    profile text COLLATE "C",
    event text COLLATE "C",
    number int,
    started_ms bigint,
    public boolean,
    daily int,
    PRIMARY KEY (race, seat),
    -- Who did not finish has no time: a number would win the leaderboard.
    CHECK ((status = 'finished') = (time_ms IS NOT NULL))
);

CREATE INDEX attempt_by_profile ON attempt (profile, event, number)
    WHERE profile IS NOT NULL;

CREATE TABLE tally (
    profile text COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL,
    tally text NOT NULL,
    PRIMARY KEY (profile, event)
);

-- Hidden profiles have no bests.
CREATE TABLE best (
    profile text COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    input text COLLATE "C" NOT NULL,
    period int NOT NULL,
    value_ms bigint NOT NULL,
    race text COLLATE "C" NOT NULL,
    started_ms bigint NOT NULL,
    used text,
    PRIMARY KEY (profile, event, kind, input, period)
);

CREATE INDEX best_by_value
    ON best (event, kind, input, period, value_ms, started_ms, profile);

CREATE TABLE daily (
    profile text COLLATE "C" NOT NULL REFERENCES profile (id) ON DELETE CASCADE,
    day int NOT NULL,
    event text COLLATE "C" NOT NULL,
    room text NOT NULL,
    PRIMARY KEY (profile, day, event)
);

CREATE TABLE alive (
    id int PRIMARY KEY CHECK (id = 1),
    at_ms bigint NOT NULL,
    latest_ms bigint NOT NULL
);

CREATE TABLE outage (
    began_ms bigint PRIMARY KEY,
    ended_ms bigint NOT NULL
);
