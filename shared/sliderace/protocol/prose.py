"""The text of `docs/protocol.md` between its tables."""

__all__ = [
    "BOARDS",
    "COMMANDS",
    "CONNECTION",
    "EVENTS",
    "GROWTH",
    "RACE",
    "STREAM",
    "TITLE",
]

TITLE = """\
# The protocol `sliderace.v1`

This page contains everything you need to write a client for sliderace. [A complete
client in sixty lines](example_client.py) accompanies it; a test runs it. The page is
generated: edit `sliderace.protocol` and run `python docs/generate.py`.

One message is one JSON object in one WebSocket **text** frame; its field `t` is the
type of the message. *Commands* go to the server, *events* come from it. Numbers are
integers of at most 2^53 - 1. Fields ending in `_ms` are milliseconds; `in_ms` counts
from the moment the message is sent. No message contains a date or a time of day.

A short race, seen by one of its players (`>` sends, `<` receives, `...` omits fields):

```
> {{"t":"hello","v":1,"enter":{{"as":"join","code":"KWX-TRB","name":"Ann"}}}}
< {{"t":"welcome","member":2,"seat":1,"race":"KWXTRB-SA1B2C-3","token":"5f...", ...}}
< {{"t":"snapshot","o":17,"phase":"lobby", ...}}
> {{"t":"ready","race":"KWXTRB-SA1B2C-3","nonce_commitment":"9d41..."}}
< {{"t":"member","o":18,"why":"ready", ...}}
< {{"t":"phase","o":19,"phase":"countdown","in_ms":5000, ...}}
< {{"t":"roster","o":20,"roster":[0,1], ...}}
> {{"t":"nonce","race":"KWXTRB-SA1B2C-3","nonce":"83ab..."}}
< {{"t":"board","seat":null,"seq":0,"board":"1 2 3/4 0 6/7 5 8", ...}}
< {{"t":"phase","o":22,"phase":"racing", ...}}
> {{"t":"slides","race":"KWXTRB-SA1B2C-3","gen":0,"seq":1,"slides":[["U",1,530]]}}
< {{"t":"ack","race":"KWXTRB-SA1B2C-3","seq":1}}
> {{"t":"slides","race":"KWXTRB-SA1B2C-3","gen":0,"seq":2,"slides":[["L",1,790]]}}
< {{"t":"standing","o":23,"standing":{{"seat":1,"place":1,"time_ms":790, ...}}, ...}}
< {{"t":"results","o":25,"record":"/api/races/KWXTRB-SA1B2C-3", ...}}
```
"""

CONNECTION = """\
## A connection

1. **Connect** to the path `/ws`: `ws://HOST:PORT/ws`, or `wss://` if the server's page
   uses https. You may request the subprotocol `{subprotocol}`. Do not send an `Origin`
   header; the server answers pages of other sites with 403. It uses no compression.
   If you know the room's code, add it: `/ws?room=KWXTRB`. A server with several
   processes then connects you directly to the one that serves the room.
2. **Send [`hello`](#hello)** within 3 seconds. Its field `enter` says how you enter a
   room: [`create`](#create), [`open`](#open), [`join`](#join), [`resume`](#resume) or
   [`redeem`](#redeem).
3. **The server answers** with [`welcome`](#welcome) and [`snapshot`](#snapshot); after
   `resume` it may send the events you missed instead of the snapshot. If you cannot
   enter, it sends [`refused`](#refused) and closes the connection.
4. **Exchange messages.** A command that is refused has no effect; the answer is
   `refused` (for slides [`rejected`](#rejected)). Repeating a command does no harm:
   `ready`, `start`, `rematch`, `leave` and so on have the same effect twice as once.
   Commands about a race contain its id, so that a late one cannot affect the next race.
5. **Keep alive.** The server sends WebSocket pings, which libraries answer on their
   own. It cuts a connection that answers no ping for 5 seconds. To measure the round
   trip yourself, send [`ping`](#ping). A connection can also die without a close, for
   example when a phone changes networks. So send a `ping` if slides get no `ack` for
   1.5 s, or if a race is silent for 5 s. Without a `pong` within 1.5 s, open a second
   connection and `resume`; drop the old one, whatever its close code is, once the new
   one has its `welcome`.
6. **Reconnect** after a lost connection: connect again and `resume` with the `token`
   from your first `welcome`. You keep your seat and your board, and your clock has kept
   running. Wait a random time before each attempt: up to 0.25, 0.5, 1, 2, 4, then 8 s,
   but never more than 2 s in a running race. The [close codes](#close-codes) say when
   not to reconnect. The newest connection to a seat wins; the older one is closed with
   4503. Rooms, seats, boards and clocks survive a restart of the server.

The token is the key to your seat: keep it secret, and never put it into a URL.

**Limits.** `welcome` states how many messages and tiles you may send per second, and
how many at once. If you send more, the server reads more slowly; nothing is lost. After
10 seconds of flooding it closes the connection with 4429. A command is at most {up}
bytes long, an event at most {down} bytes. If you read too slowly, the server cuts the
connection; when you resume, you get a snapshot.

**HTTP.** The server also answers `GET` requests: for public rooms, stored races and
their [records](race-record.md), leaderboards, the daily race, and its own state; see
[the HTTP interface](api.md).
"""

GROWTH = """\
## How the protocol grows

The version is the `v` of `hello` and `welcome`; this page describes version {version}.
A server speaks exactly one version. It answers a `hello` of another version with
`refused`, code `version`, and closes the connection with 4504.

Within a version nothing is removed and nothing changes its meaning. What is added is
announced:

- **Fields of events.** A server may add them at any time. Ignore fields that you do not
  know.
- **Commands, and fields of commands.** `welcome` lists in `features` what the server
  can do beyond the first set; so does `/healthz`, for clients that need to know before
  `hello`. Send a new command or field only if its feature is listed: everywhere except
  in `hello`, the server refuses unknown fields and unknown commands with `bad_message`.
- **Fields of `hello`.** The server ignores those that it does not know, because `hello`
  comes before `welcome`.
- **Events.** `can` in `hello` lists the types of events that you understand beyond the
  first set. The server sends you a new type of event only if you list it.

New types of events have no offset, so the stream is the same for everyone.

The *first set* is everything on this page except these features:

| feature | what it is | command | event |
| --- | --- | --- | --- |
| `bots` | the [bots of the server](#bots-of-the-server) | `bots` | |
| `series` | the score of [a series](#a-series) of races | `series` | `series` |
| `reactions` | the members' [reactions](#reactions) | `react`, `mute` | `reacted` |
| `quick` | [race now](#race-now) | `quick` in `hello` | |
| `lobby` | the [list of rooms](#the-list-of-rooms) | `lobby` in `hello` | `rooms` |
| `solo` | [racing alone](#racing-alone) | `solo` in `hello` | |
| `daily` | the [daily race](#the-daily-race) | `daily` in `hello` | |
| `profiles` | [profiles](#profiles) | `me` and `profile` in `hello`, `input`, \
`keep`, `ticket`, `claim`, `revoke`, `forget`, `history` | `me`, `history`, `gains` |
"""

RACE = """\
## A race

A room passes through the phases `lobby`, `countdown`, `racing`, `grace` and `results`,
then returns to the `lobby`. If a race is cancelled, its phase is `aborted`, and the
lobby follows at once. [`phase`](#phase) announces each phase, with three exceptions:
`results` begins with the event [`results`](#results), the next lobby with a
[`room`](#room) event that contains a new `race` id, and the end of the room is
[`closed`](#closed).

- **Lobby.** Players send [`ready`](#ready). The countdown begins when the host sends
  [`start`](#start), or when all present players are ready and there are at least two.
  The rule `start` can change this.
- **Countdown.** About 1.2 s before the start, [`roster`](#roster) lists who races, and
  racers contribute to [the draw of the board](#the-draw). Whoever joins later gets a
  seat, watches this race and plays the next one.
- **The board.** Every member receives [`board`](#board) without a seat: the scramble,
  the same for all. The server sends it to racers half their round trip before the start
  (at most 100 ms), so that it arrives everywhere at the same moment, and to all others
  at the start. With inspection the board stays locked for `in_ms`. Your clock runs from
  the moment the board was sent to you (and unlocked), whether or not it arrived; a lost
  connection does not stop it.
- **Racing.** Send your [`slides`](#slides-in-a-race). The server checks each of them on
  its own copy of your board.
- **Finish.** When your board is solved, [`standing`](#standing) contains your official
  time: from the unlocked board to the solving slide as measured by the server, minus a
  bounded credit for your latency. Your own timestamps count as far as your latency can
  explain the difference; [fairness](fairness.md) has the formula. Equal times share a
  place (1, 1, 3). A place is provisional until [`winner`](#winner) or `final` says
  otherwise.
- **Grace time.** It begins when the first racer finishes. A racer who does not finish
  in time has no official time, but gets a place by progress: finishers come first, by
  official time; then those who still race; then DNF, then those who gave up, then DNS,
  each by higher `high`, then by who reached it earlier, then by fewer moves (`stm`).
  [The race record](race-record.md#ranking) states it exactly.
- **Results.** They contain all standings, the secret and all nonces.
  [`rematch`](#rematch) leads to the next lobby. That race starts when all active
  players are ready, or 30 s after the first of them if at least two are.

### A series

The races of a room form a series. A new room has the format `open`; the host begins
another one with the command `series`. The event `series` contains the table.

| format | it ends | it is ranked by |
| --- | --- | --- |
| `open` | never | wins, then the best time |
| `first` | when somebody has `n` wins and is `by` wins ahead | likewise |
| `mo3`, `ao5`, `ao12` | after 3, 5 or 12 races | average, then the best time |
| `points` | after `n` races | points, then wins, then the best time |

- A first place is a win, even if it is shared. A race that nobody finishes gives
  no win.
- A finisher gets one point for each racer who was slower or did not finish.
- `mo3` is the mean of three times; one DNF makes it a DNF. `ao5` and `ao12` leave out
  the best and the worst; a DNF is the worst, and two make a DNF. `open` shows the `ao5`
  of the last five races. The mean of n times is (2 sum + n) / (2 n), without the
  remainder. DNF averages are ranked last.
- A race that you miss is a DNS, even if it was before you joined: it counts as a DNF in
  averages and gives no points. A forfeit is a DNF.
- People are compared with people, and bots with all racers. The table lists bots below
  people. A race without people does not count.
- While the series can end, a race cannot be cancelled once the board has been sent
  (`race_counts`). The same applies to every race in a public room.
- The race after the end of a series begins the next one.
- A newcomer with the name of a racer who has left continues that racer's score.

### Race now

With [`quick`](#quick) you enter a public room that the server opened; `room.kind` is
`quick`. The server chooses one of the same event whose people are about as fast and
whose next race begins soon, or opens one. Its first race starts at once, or as soon as
its bots are connected, and the next one 12 s after each.

- Nobody is host: `room.host` is null, and commands for hosts are refused (`not_host`).
- Bots fill the room up to four racers. One leaves for each person who comes, between
  two races.
- If nobody else is there, `rematch` begins the next race at once.
- Whoever makes no slide in two races in a row becomes a spectator; with [`role`](#role)
  they race again.
- The room closes when its last person leaves, or after a minute without a connection.

### The list of rooms

With [`lobby`](#lobby) you watch the list of public rooms. The first [`rooms`](#rooms)
events contain all of them, and later ones what has changed, at most once a second.
Count `age_ms` on by your own clock. You are in no room: besides `ping`, every command
is refused (`not_here`). To enter a room, open another connection.

### Racing alone

With [`solo`](#solo) you open a room for yourself alone; `room.kind` is `solo`. It is
private and locked. You are not its host and cannot cancel a race, because a bad board
would then cost nothing. The countdown takes 1.5 s; the rules `start` and
`countdown_ms` of your `hello` are ignored. A profile can race in one such room at a
time (`busy`). The room closes when you leave, or after a minute without a connection;
after 10 s without one, the profile can race alone in another room.

### The daily race

With [`daily`](#daily) the owner of a profile races once on each daily board. There is
one for each of 3x3, 4x4 and 5x5, the same for everybody, from 00:00 to 24:00 UTC.
`room.kind` is `daily`, and `room.day` is the date. The room is one for racing alone,
but with a single race: `rematch` is refused (`daily_done`).

- The attempt is used up when the server sends the board. From one second before,
  nothing gives it back. If you leave earlier, or are not connected for a minute, you
  can enter again.
- The same `hello` from any device of the profile continues the attempt, and takes the
  seat from the device that had it. Once the room is closed, it is refused
  (`daily_done`).
- A race that has begun goes on after midnight. If the roster of a room is not frozen by
  then, the server closes the room.
- The race record is [sealed](api.md#apiracesid) until all races on that board are over.
  It says from which secret the seed follows; that secret leads to
  [the anchor](race-record.md#a-daily-race), which was published before.
- Only profiles that are older than the day are on its leaderboard.
- The streak counts days in a row with a daily race in any event, up to today or
  yesterday. A day on which the server was down for more than an hour does not break it.

### Bots of the server

With the command [`bots`](#bots), the host adds bots that the server runs. Each has a
pace, or a level: from weak to strong `newcomer`, `beginner`, `casual`, `club`,
`strong`, `expert`, `master` or `record`. They are members with `bot`, and their names
begin with the mark `⚙`, which no other name contains. A client that does not know the
feature `bots` can race with them.

- They are ready as soon as they are connected. A race does not wait for them, and they
  start none: they race only if a person races, or if a host who watches starts the
  race.
- They are never host. A room in which only they are connected counts as empty.
- If the server cannot run bots, it refuses with `bots_unavailable`.

Bots that enter by `join` with `bot` belong to players and follow none of these rules,
except that people who are ready do not wait for them either.

### Profiles

A profile is a persistent name. Its owner is whoever has the secret: 16 random bytes in
hex that your program generates, one per device and server, and sends only in `profile`
of `hello`. The server stores its SHA-256. Everything else works without a profile.

A connection that enters with `me` manages the profile and is in no room. The answer to
its `hello` is [`me`](#me); there is no `welcome`. `keep` creates the profile, and
`ticket` on one device and `claim` on another add a device. Commands are carried out one
after the other. A refusal leaves the connection open, unless it refuses the `hello`.

- Store a new secret before you send `keep` or `claim`: the answer may be lost. If the
  server does not know it later, for example after its operator restored a backup, send
  `keep` again.
- A ticket has eight letters and is valid for one `claim` within five minutes. Five
  wrong tickets with its first four letters, from anybody, make it void; after five
  wrong tickets from your address you must wait (`too_many_tries`).
- A profile has at most 16 devices. The last one cannot be removed (`last_device`). A
  removed device is a guest from its next `hello` on. Removing one also voids a ticket.
- `forget` deletes the profile after 72 hours; until then every device can cancel it. In
  races with others the name becomes `deleted`, and the records say
  [`redacted`](race-record.md#the-race).
- An address can create five profiles a day (`too_many_profiles`).

If the server does not know the secret, it sends `refused` with the code
`profile_unknown` and the field `profile`, but lets you in as a guest. The first profile
that a member has in a room stays: to keep the time that a guest has just made, `resume`
the seat with the secret of a new profile. A kept time counts only as the first attempt
of its event: otherwise people could race as guests and keep only good attempts. After
each race, [`gains`](#gains) says what
your attempt has changed.

Some attempts cannot be compared with others of their event. They are in the history,
but do not count for bests, averages and leaderboards. These are attempts

- with a known seed, except that of the daily race;
- with friendly timing or inspection;
- with a credit for a failure of the server in the official time or, without a finish,
  with a failure of the server during the attempt;
- by a racer who was away when the board was sent and came later: others may have told
  them whether it is easy;
- made while an earlier one goes on in another room, except in a daily race;
- by bots, and every `dns`.

An attempt with a reload (`approx`) counts. Whoever leaves after the board was sent to
them has a `dnf`, even before T0.

### Reactions

There is no free text. Members react with one of 16 numbers: eight symbols, then eight
phrases.

{reactions}

- A racer cannot react while racing (`racing`), and gets no reactions until first place
  is final.
- A member may send three reactions at once and one more every 2 seconds. Beyond that,
  `refused` (`rate`) says when to try again.
- The host can [`mute`](#mute) a member, whose reactions are then refused (`muted`).
- Let the player hide the reactions of one member, and of all. Do not speak them during
  a race.

### The draw

Nobody can choose the board. The server is bound by its `commitment` before anybody is
ready, and the racers by theirs before anything is revealed. In what follows numbers are
one byte each, hex texts stand for their bytes, and NUL is a zero byte.

1. The room's `commitment` is the hex SHA-256 of `sliderace/commit/v1`, NUL, race id,
   NUL, width, height, secret. Keep the one you see in the lobby.
2. For each race, draw a nonce of 16 random bytes. Send its `nonce_commitment` with
   [`ready`](#ready): the hex SHA-256 of `sliderace/nonce/v1`, NUL, race id, NUL, your
   seat, nonce. If you became ready in another way (you sent [`start`](#start) or
   [`rematch`](#rematch), or the room starts by the clock), send another `ready`.
3. [`roster`](#roster) lists the commitments of all racers. Keep the list, and answer at
   once with [`nonce`](#nonce). The server leaves out what has not arrived 400 ms before
   the start; after that nothing can be added.
4. The seed is the SHA-256 of `sliderace/seed/v1`, NUL, race id, NUL, width, height,
   secret, the number of nonces, the nonces by ascending seat. The board follows from
   the seed, see below. [`results`](#results) reveals the secret, the seed and every
   nonce: check that they match what you kept, and that your own nonce is among them.

**When to send your commitment again.** It belongs to one race and one seat. Send
another `ready` with the same `nonce_commitment`

- after every `welcome`, as long as `roster` has not arrived and you are going to race:
  your last message may be lost, and a server that was killed may have forgotten it;
- after a `room` event with a new `race`: draw a new nonce then.

And if `roster` lists your commitment, send [`nonce`](#nonce) once on every connection
until the [`board`](#board) arrives; not while a snapshot says that the roster is not
fixed (any more), and never after a list that differs from the first one. A racer
without a listed commitment, or whose nonce comes too late, races like everyone else;
the results say that the nonce was left out.

A race whose seed was known in advance (`seed_known`) uses no nonces and makes no claim
of fairness. Such a seed is 64 hex digits of either case, which stand for their 32
bytes. Any other text stands for the SHA-256 of `sliderace/text/v1`, NUL, and its UTF-8,
as it was typed.

### From a seed to a board

The board is uniform over all solvable boards but the solved one. In these steps `/` is
the division of integers without the remainder, and `mod` the remainder:

    stream    the bytes of SHA-256("sliderace/stream/v1" 00 seed u32(i)), one after
              another, i = 0, 1, 2 ...; u32 is four bytes, the most significant first
    below(m)  take bytes from the stream until one is below (256 / m) m; it mod m
    board     a = 1, 2 ... n-1, 0 in reading order, where n = width x height
              for i = n-1, n-2 ... 1: swap a[i] and a[below(i + 1)]
              if a is not solvable: swap the tiles 1 and 2, wherever they are
              if a is solved: do all of this again, with the same stream
    solvable  count the pairs of tiles, without the gap, of which the larger comes first
              in reading order. Even width: add the number of rows below the gap's.
              The board is solvable if the sum is even

| seed as typed | its 32 bytes | size | board |
| --- | --- | --- | --- |
{drawn}

### Slides in a race

Your slides of one race are numbered 1, 2, 3 ...; `seq` is the number of the first slide
in a message. A slide moves one to nine tiles of a row or column towards the gap. Apply
it to your own board at once, and keep it until the race is over.

- The server applies only the next number. It skips older slides and acknowledges them
  again, so repeat what you are not sure about. It answers a missing slide with
  `rejected`, code `gap`.
- It accepts a message completely or not at all.
- [`ack`](#ack) means that your slides up to `seq` are stored for good.
- [`rejected`](#rejected) contains your board as the server knows it after slide `seq`,
  and a new `gen`. Take that board, continue with `seq` + 1, and send the new `gen` from
  then on. The server silently drops slides with an older `gen`, which were already on
  their way. After every `welcome`, `gen` is 0.
- After `resume`, `welcome` contains your `seq` and the `board` after it. If your own
  board after that slide is the same, send your later slides again. If not, take the
  server's board and forget them.
- Send the first slide at once. Then collect slides for `gather_ms` into one message, of
  {slides} slides at most. Never delay the slide that solves the board.
- The time in a slide counts from the moment you painted the board (with inspection:
  unlocked it). After a reload, count from the snapshot's `elapsed_ms` and set `approx`.
- There is no undo and no reset.
"""

BOARDS = """\
### Boards and progress

A **board** is text: rows from top to bottom separated by `/`, tiles separated by
spaces, 0 for the gap. The solved 3x3 board is `1 2 3/4 5 6/7 8 0`. A size is width x
height: `4x3` has three rows of four.

A **direction** is the way the *tile* moves: `U` moves the tile below the gap up, `D`
the one above it down, `L` the one to its right to the left, and `R` the one to its left
to the right. `U2` moves the two tiles below the gap up, as one slide; the gap is then
two cells further down. A slide is legal if there are that many tiles to move.

**Progress** (`high`) is floor(1000 x (1 - MD / MD of the scramble)), the best value so
far, and never less than 0. MD is the Manhattan distance: the sum of all tiles'
distances from home, horizontally and vertically; the gap does not count.
"""

STREAM = """\
## Stream, progress and private events

**The stream.** Events with a field `o` are numbered 1, 2, 3 ... per room, for everyone
alike. This offset grows by one with every event; a `snapshot` includes everything up to
its own `o`. Compare each `o` with the last one you processed:

- one more: process the event;
- not more: you know it already, ignore it;
- more than one more: you missed something. Send [`resync`](#resync) without a seat, and
  ignore the stream until the snapshot arrives.

**Epochs.** `welcome` and `snapshot` contain the epoch of the stream. When a server
takes over the room after a failure, a new epoch begins, and the last events that you
received may be void. Epochs usually grow, but only compare them for equality. `resume`
states the epoch and the offset you know. If the epoch is the same and you are not too
far behind, you get the events you missed, else a snapshot. With `epoch` 0 you always
get a snapshot.

**Progress.** [`progress`](#progress) has no offset. It contains the newest state of
some seats: in small rooms at once, then at most every 50 ms; in large ones a few times
per second. It is provisional, and the next one replaces what was lost. If you may see
boards, it also contains the new slides of each seat. If you hold the board after slide
`since`, apply them; if yours is further, skip those you know; if it is behind, send
[`resync`](#resync) with that seat, and the server answers with its [`board`](#board).

**Who sees boards.** Nobody sees a board before it is sent. Racers see only their own
until they have finished or given up for good, unless the rule `open_boards` is on;
everyone else sees all. With `spectator_delay_ms`, those who do not race see boards and
progress that much later.

**Private events.** `welcome`, `ack`, `rejected`, `refused`, `board`, `snapshot`,
`ticket` and `pong` are for you alone, `signals` is for the host. `lines`, `series` and
`reacted` are for everyone. None of them is part of the stream.
"""

COMMANDS = """\
## Commands

The server refuses unknown fields and values out of range with `bad_message`, and values
that a rule cannot have with `bad_rules`. `field` is the path of the value at fault in
your message, such as `enter.rules.limit_ms` or `slides[3][1]`, `value` is that value,
and `text` says what it may be.
"""

EVENTS = """\
## Events

A field without a default is always present. If a field with a default is missing, the
default applies.
"""
