// The readers of all events, written by sliderace.protocol.page_readers: do not edit.

import {
  among,
  boolean,
  integer,
  list,
  natural,
  nickname,
  nullable,
  object,
  or,
  string,
  tuple,
} from "./readers.js";

const Limits = object({
  messages_per_s: natural,
  messages_burst: natural,
  tiles_per_s: natural,
  tiles_burst: natural,
  slides_per_message: natural,
  gather_ms: natural,
  message_bytes: natural,
});

const Welcome = object({
  v: natural,
  server: string,
  code: string,
  member: natural,
  seat: nullable(natural),
  token: nullable(string),
  epoch: natural,
  gen: natural,
  race: string,
  seq: natural,
  board: nullable(string),
  limits: Limits,
  features: or(list(string), []),
  profile: or(nullable(string), null),
});

const Opened = object({
  code: string,
  link: string,
});

const Rules = object({
  size: or(string, "4x4"),
  start: or(among("every", "host", "ready"), "ready"),
  every_ms: or(natural, 60000),
  countdown_ms: or(natural, 5000),
  inspection_ms: or(natural, 0),
  limit_ms: or(integer, -1),
  grace_ms: or(integer, -1),
  away_ms: or(natural, 60000),
  open_boards: or(boolean, false),
  spectator_delay_ms: or(natural, 0),
  friendly_timing: or(boolean, false),
});

const Room = object({
  code: string,
  public: boolean,
  locked: boolean,
  host: nullable(natural),
  rules: Rules,
  race: string,
  commitment: string,
  seed_known: boolean,
  kind: or(among("daily", "quick", "room", "solo"), "room"),
  day: or(string, ""),
});

const Member = object({
  id: natural,
  name: nickname,
  role: among("player", "spectator"),
  seat: nullable(natural),
  ready: boolean,
  connected: boolean,
  benched: boolean,
  bot: boolean,
  level: or(nullable(string), null),
  pace_ms: or(nullable(natural), null),
  muted: or(boolean, false),
});

const Lane = object({
  seat: natural,
  seq: natural,
  high: natural,
  stm: natural,
  status: among("dnf", "dns", "finished", "forfeited", "racing"),
  board: nullable(string),
});

const Standing = object({
  seat: natural,
  member: natural,
  name: nickname,
  bot: boolean,
  status: among("dnf", "dns", "finished", "forfeited", "racing"),
  place: nullable(natural),
  time_ms: nullable(natural),
  solve_ms: nullable(natural),
  credit_ms: natural,
  stm: natural,
  mtm: natural,
  high: natural,
  why: or(string, ""),
  final: or(boolean, false),
  photo: or(boolean, false),
  outage_ms: or(natural, 0),
});

const RaceView = object({
  id: string,
  roster: list(natural),
  elapsed_ms: nullable(natural),
  start: nullable(string),
  lanes: list(Lane),
  standings: list(Standing),
  nonce_commitments: or(list(nullable(string)), []),
});

const SeatNonce = object({
  seat: natural,
  commitment: nullable(string),
  nonce: nullable(string),
});

const Results = object({
  o: natural,
  race: string,
  standings: list(Standing),
  board: string,
  seed: string,
  secret: nullable(string),
  nonces: list(SeatNonce),
  friendly_timing: boolean,
  record: string,
});

const SeriesRow = tuple({
  place: natural,
  member: natural,
  name: nickname,
  bot: boolean,
  races: natural,
  wins: natural,
  points: natural,
  best_ms: nullable(natural),
  average_ms: nullable(natural),
  average_dnf: or(boolean, false),
});

const SeriesTable = object({
  format: among("ao12", "ao5", "first", "mo3", "open", "points"),
  n: natural,
  by: natural,
  races: natural,
  over: boolean,
  rows: list(SeriesRow),
});

const Snapshot = object({
  o: natural,
  epoch: natural,
  room: Room,
  members: list(Member),
  phase: among("aborted", "closed", "countdown", "grace", "lobby", "racing", "results"),
  in_ms: nullable(natural),
  race: RaceView,
  results: or(nullable(Results), null),
  series: or(nullable(SeriesTable), null),
});

const MemberEvent = object({
  o: natural,
  member: Member,
  why: string,
});

const Gone = object({
  o: natural,
  member: natural,
  why: string,
});

const RoomEvent = object({
  o: natural,
  room: Room,
  why: string,
});

const PhaseEvent = object({
  o: natural,
  race: string,
  phase: among("aborted", "closed", "countdown", "grace", "lobby", "racing", "results"),
  in_ms: nullable(natural),
  roster: or(list(natural), []),
  why: or(string, ""),
});

const RosterEvent = object({
  o: natural,
  race: string,
  roster: list(natural),
  nonce_commitments: list(nullable(string)),
});

const StandingEvent = object({
  o: natural,
  race: string,
  standing: Standing,
});

const WinnerEvent = object({
  o: natural,
  race: string,
  seats: list(natural),
});

const Closed = object({
  o: natural,
  why: string,
});

const SeatProgress = tuple({
  seat: natural,
  seq: natural,
  high: natural,
  stm: natural,
  since: or(integer, -1),
  slides: or(string, ""),
});

const Progress = object({
  race: string,
  p: list(SeatProgress),
});

const MemberLatency = tuple({
  member: natural,
  rtt_ms: natural,
  jitter_ms: natural,
});

const LatencyEvent = object({
  lines: list(MemberLatency),
});

const Reacted = object({
  member: natural,
  id: natural,
});

const Signal = object({
  name: string,
  value: nullable(natural),
  low: nullable(natural),
  high: nullable(natural),
  note: string,
  outside: boolean,
});

const SeatSignals = object({
  seat: natural,
  signals: list(Signal),
});

const Signals = object({
  race: string,
  signals: list(SeatSignals),
});

const SeriesEvent = object({
  table: SeriesTable,
});

const BoardEvent = object({
  race: string,
  seat: nullable(natural),
  seq: natural,
  board: string,
  in_ms: or(natural, 0),
});

const Ack = object({
  race: string,
  seq: natural,
});

const Rejected = object({
  race: string,
  gen: natural,
  seq: natural,
  code: string,
  board: nullable(string),
});

const Refused = object({
  of: string,
  code: string,
  text: string,
  field: or(string, ""),
  value: or(string, ""),
  retry_ms: or(natural, 0),
});

const Ticket = object({
  ticket: string,
  in_ms: natural,
});

const Pong = object({
  id: natural,
});

const RoomRow = object({
  code: string,
  event: string,
  kind: among("daily", "quick", "room", "solo"),
  people: natural,
  bots: natural,
  phase: among("aborted", "closed", "countdown", "grace", "lobby", "racing", "results"),
  age_ms: natural,
  pace_ms: or(nullable(natural), null),
  locked: or(boolean, false),
});

const Rooms = object({
  rows: list(RoomRow),
  gone: or(list(string), []),
});

const Device = object({
  id: natural,
  name: nickname,
  added_ms: natural,
  used_ms: natural,
  current: or(boolean, false),
});

const EventBests = object({
  event: string,
  attempts: natural,
  finished: natural,
  single_ms: or(nullable(natural), null),
  ao5_ms: or(nullable(natural), null),
  ao12_ms: or(nullable(natural), null),
  race: or(string, ""),
  pace_ms: or(nullable(natural), null),
});

const Profile = object({
  id: string,
  name: nickname,
  created_ms: natural,
  devices: list(Device),
  bests: list(EventBests),
  streak: or(natural, 0),
  day: or(string, ""),
  dailies: or(list(string), []),
  forget_at_ms: or(nullable(natural), null),
});

const MeEvent = object({
  profile: nullable(Profile),
});

const HistoryRow = tuple({
  race: string,
  started_ms: natural,
  kind: among("daily", "quick", "room", "solo"),
  status: among("dnf", "dns", "finished", "forfeited", "racing"),
  time_ms: nullable(natural),
  solve_ms: nullable(natural),
  stm: natural,
  mtm: natural,
  md: natural,
  first_ms: nullable(natural),
  pauses: natural,
  input: nullable(among("click", "hover", "keys", "mixed", "touch", "typed")),
  counts: boolean,
});

const HistoryEvent = object({
  event: string,
  rows: list(HistoryRow),
  more: or(boolean, false),
});

const Gain = object({
  kind: among("ao12", "ao5", "single"),
  value_ms: natural,
  before_ms: or(nullable(natural), null),
});

const Gains = object({
  race: string,
  counts: boolean,
  bests: or(list(Gain), []),
  place: or(nullable(natural), null),
  of: or(natural, 0),
  streak: or(natural, 0),
});

/** Type of an event -> its reader. */
export const EVENTS = new Map(
  Object.entries({
    welcome: Welcome,
    opened: Opened,
    snapshot: Snapshot,
    member: MemberEvent,
    gone: Gone,
    room: RoomEvent,
    phase: PhaseEvent,
    roster: RosterEvent,
    standing: StandingEvent,
    winner: WinnerEvent,
    results: Results,
    closed: Closed,
    progress: Progress,
    lines: LatencyEvent,
    reacted: Reacted,
    signals: Signals,
    series: SeriesEvent,
    board: BoardEvent,
    ack: Ack,
    rejected: Rejected,
    refused: Refused,
    ticket: Ticket,
    pong: Pong,
    rooms: Rooms,
    me: MeEvent,
    history: HistoryEvent,
    gains: Gains,
  }),
);
