"""What types cannot say: the text of `docs/protocol.md` between its tables."""

__all__ = ["BOARDS", "CONNECTION", "EVENTS", "PLAYING", "STREAM", "TITLE"]

TITLE = """\
# The protocol `sliderace.v1`

This page is all that a stranger needs to write a client: [a whole one in sixty
lines](example_client.py) stands beside it and is run as a test. It is generated from
the message types by `python -m sliderace.protocol.describe`; change those.

One message is one JSON object in one WebSocket **text** frame. Its field `t` names
its type. *Commands* go up to the server, *events* come down. Both lists are closed.
Integers are whole numbers up to 2^53 - 1. Fields that end in `_ms` are milliseconds;
those called `in_ms` count from the moment the message is sent. There is no wall clock
in any message.

## How the protocol grows

The version is the `v` of `hello` and `welcome`; this page describes version {version}.
A server speaks exactly one version. It answers a `hello` of another version with
`refused`, code `version`, and closes the connection with 4504.

Within a version nothing is removed and nothing changes its meaning. What is added is
announced:

- **Fields of events.** A server may add them at any time. Ignore fields that you do
  not know.
- **Commands, and fields of commands.** `welcome` lists in `features` what the server
  can do beyond this page's first set. Send a new command or field only if its feature
  is listed: everywhere except in `hello`, the server refuses unknown fields and unknown
  commands with `bad_message`.
- **Fields of `hello`.** The server ignores those that it does not know, because `hello`
  is sent before `welcome`.
- **Events.** `can` in `hello` lists the types of events that you understand beyond the
  first set. The server sends you a new type of event only if you list it.

The *first set* is everything on this page. `features` and `can` are empty so far.
"""

CONNECTION = """\
## The life of a connection

1. **Connect** to `/ws` of the server: `ws://HOST:PORT/ws`, or `wss://` where the page
   comes by https. Offer the subprotocol `{subprotocol}` if you like. Programs send no
   `Origin` header; web pages of other sites are refused with 403. Compression is off.
2. **Say [`hello`](#hello)** within 3 seconds. Its field `enter` says how you come in:
   [`create`](#create), [`open`](#open), [`join`](#join), [`resume`](#resume) or
   [`redeem`](#redeem).
3. The server answers [`welcome`](#welcome), then [`snapshot`](#snapshot) (after a
   `resume` perhaps the missed events instead), once all of it is stored. Whoever
   cannot come in gets [`refused`](#refused), and the connection is closed.
4. Then both sides talk. A refused command gets `refused` (slides get `rejected`) and
   has changed nothing. Anything twice is as good as once: `ready`, `start`,
   `rematch`, `leave` and the like may be sent again. Commands that belong to a race
   name it, so that late ones cannot hit the next.
5. The server sends WebSocket pings; every library answers them by itself. Who answers
   none for 5 seconds is cut off. To measure from your side send [`ping`](#ping).
6. **Come back** after a lost connection: connect again and `resume` with the `token`
   of your first `welcome`. Your seat, your board and your clock have gone on
   meanwhile. Wait between tries: a random time up to 0.25 s, then up to 0.5, 1, 2, 4
   and 8 s. The table of [close codes](#close-codes) says when not to come back at
   all. The newest connection of a seat wins; the older one is closed with 4503. A
   restarted server keeps all rooms, seats, boards and clocks.

The token is the key to your seat: keep it to yourself, and out of every address line.

**Limits.** `welcome` says how many messages and tiles a second are allowed, and how
many at once. Whoever sends more is read more slowly; nothing is lost; after 10
seconds of flood the connection is closed with 4429. One message is at most {up} bytes
long. Who reads too slowly is cut off, and finds a snapshot when coming back. The
server never sends more than {down} bytes in one message.

**Beside it** the server answers plain `GET`s with JSON: `/api/rooms` (public rooms),
`/api/rooms/CODE` (404 where there is no such room), `/api/races`, `/api/races/ID` (the
[race record](race-record.md), signed), `/healthz` (with the key it is signed by).
`/replay/ID` leads to the page that shows the race again.
"""

PLAYING = """\
## A race

A room goes `lobby` -> `countdown` -> `racing` -> `grace` -> `results` -> `lobby`. An
aborted race goes by `aborted` straight to the lobby. What tells of it: `phase`, but
`results` begins with the event `results`, the lobby of the next race with an event
`room` whose `race` is new, and the end of the room is `closed`.

- Players say [`ready`](#ready); the host presses [`start`](#start), or the countdown
  begins by itself as soon as all present players are ready, two at least. (Rules may
  say otherwise: `start`.) Late joiners get a seat, watch this race, and play the
  next.
- Your client may take part in the draw of the board: see [below](#the-draw).
- About 1.2 s before the start [`roster`](#roster) tells who races; a little later
  everything is fixed, and `phase` tells it again.
- Every member is sent [`board`](#board) without a seat: the scramble, the same for
  all. To racers it is sent half of their round trip before the start, at most 100 ms,
  so that it arrives everywhere at the same moment; to all others at the start. In a
  room with inspection it stays locked for `in_ms` more. Nobody knows the board
  earlier, and everybody's clock runs from the moment it was sent (and unlocked) for
  them, whether it arrived or not; a lost connection does not stop it.
- Send your [`slides`](#slides). The server checks each one on its own copy of your
  board.
- Solved, you are told by `standing`. The first finisher begins the grace time for the
  others. Times are the server's, from the unlocked board to the solving slide, less a
  bounded credit for your line ([fairness](fairness.md)): what you stamped is believed
  as far as your line can explain it. Equal times share a place (1, 1, 3). A place is
  provisional until [`winner`](#winner) or the results say that it is `final`. Who does
  not finish has no time, but a place by progress.
- `results` tells all standings, and everything behind the draw.
- [`rematch`](#rematch) leads to the next lobby; it starts when all active players are
  ready, or 30 s after the first (two must be).

### The draw

Nobody can choose the board: neither the server, which is bound by the room's
`commitment` before anybody is ready, nor the racers, who are bound by theirs before
anything is told. Numbers are one byte each, hex texts stand for their bytes.

1. The room's `commitment` is the hex SHA-256 of `sliderace/commit/v1`, NUL, race id,
   NUL, width, height, secret. Keep the one you were shown.
2. Draw a nonce of 16 random bytes for each race and send with your
   [`ready`](#ready) its `nonce_commitment`: the hex SHA-256 of `sliderace/nonce/v1`,
   NUL, race id, NUL, your seat, nonce. Are you ready without having said it (you
   pressed [`start`](#start), asked for a [`rematch`](#rematch), or the room starts by
   the clock), send it by another `ready`.
3. [`roster`](#roster) lists the commitments of all racers. Keep the list, and answer
   at once with [`nonce`](#nonce). What has not come 400 ms before the start is left
   out; after that nothing can be added.
4. The seed is the SHA-256 of `sliderace/seed/v1`, NUL, race id, NUL, width, height,
   secret, the number of nonces, the nonces by ascending seat; the board follows from
   the seed. [`results`](#results) tells secret, seed and every nonce that was used:
   check that they fit what you kept, and that your own is among them. A race whose
   seed was known in advance (`seed_known`) asks for no nonces and promises nothing.

### Slides

Your slides of one race are numbered 1, 2, 3 ... : `seq` is the number of
the first in the message. A slide moves one to nine tiles of a row or column towards
the gap. Apply it to your own board at once and keep it until the race is over.

- The server applies only the next number. Older ones are skipped and acknowledged
  again, so send again what you are not sure of; a hole is `rejected` with `gap`.
- A message is taken whole or not at all.
- [`ack`](#ack) means: stored, for good, up to that `seq`.
- [`rejected`](#rejected) tells your board as the server has it after its `seq`, and a
  new `gen`. Take that board, number on from `seq` + 1 and send the new `gen` with
  every message from now on. Slides with an old `gen` are dropped without a word: they
  were on their way already. `gen` is 0 after every `welcome`.
- After a `resume`, `welcome` tells your `seq` and the `board` after it. Is your own
  board after that slide the same, send the later ones again; else take the server's
  board and forget them.
- Gather: send the first slide at once, then for `gather_ms` collect what follows into
  one message, {slides} slides at most. The solving slide never waits.
- The time in a slide counts from the moment you painted the board (unlocked it, with
  inspection). After a reload, count from the snapshot's `elapsed_ms` and say
  `approx`.
- There is no undo and no reset.
"""

BOARDS = """\
**Boards** are texts: rows from top to bottom divided by `/`, tiles divided by spaces,
0 for the gap. Solved 3x3: `1 2 3/4 5 6/7 8 0`. Sizes are width x height, `4x3` has
three rows of four.

**Directions** are the way the tiles travel: `U` moves the tile below the gap up. `U2`
moves the two tiles below the gap up, as one slide.

**Progress** is floor(1000 x (1 - MD / MD of the scramble)), the best value so far; MD
is the sum of all tiles' distances from home, down and across.
"""

STREAM = """\
## Stream, progress, and what is yours alone

**The stream.** Events with a field `o` are numbered 1, 2, 3 ... in each room; this
offset goes up by one with every event, for everybody alike. A `snapshot` tells
everything up to its own `o`.

- The next event has the offset after the last: take it.
- A lower one: you know it already; ignore it.
- A higher one: something is missing. Send `resync` without a seat, and ignore the
  stream until the snapshot is there.

**Epochs.** `welcome` and `snapshot` name the epoch. A server that takes over the room
after a failure begins a new one, and what you heard last may have been undone; the
numbers mostly rise, but only "the same" and "another" mean something.
`resume` tells the epoch and the offset you know. In the same epoch, and not too far
behind, you get the events you missed; else a snapshot. With `epoch` 0 you always get
a snapshot.

**Progress** has no offset. It tells the newest state of some seats: in small rooms at
once and then at most every 50 ms, in large ones a few times a second; it is
provisional, and what is lost of it the next one makes good. Each entry is an array:
seat, seq, high, stm, and for those who may see boards also since and slides. `since`
is the number of the slide before the first of `slides`. Do you hold that seat's board
after slide `since`, apply them; is yours further, skip those you know; else send
`resync` with that seat, and you get its `board`.

**Who sees boards.** Before it is sent nobody. Racers see their own, until they have
finished or given up for good, unless the rules say `open_boards`; all others see all.
In a room with `spectator_delay_ms` those who do not race see boards and progress that
much later, each lane as it was then.

`welcome`, `ack`, `rejected`, `refused`, `board`, `snapshot` and `pong` are for you
alone, and `signals` for the host. `lines`, how far away the members are, is for all; it
has no offset either.
"""

EVENTS = """\
## Events

Fields may be added in later releases: ignore those you do not know. In the tables a
missing default means that the field is always there; one with a default may be left
out by future servers, and means the default then.
"""
