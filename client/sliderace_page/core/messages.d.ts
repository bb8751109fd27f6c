// The types of all messages, written by sliderace.protocol.page_types: do not edit.
// docs/protocol.md says what they mean.

export interface Limits {
  messages_per_s: number;
  messages_burst: number;
  tiles_per_s: number;
  tiles_burst: number;
  slides_per_message: number;
  gather_ms: number;
  message_bytes: number;
}

export interface Welcome {
  v: number;
  server: string;
  code: string;
  member: number;
  seat: number | null;
  token: string | null;
  epoch: number;
  gen: number;
  race: string;
  seq: number;
  board: string | null;
  limits: Limits;
  features: Array<string>;
  profile: string | null;
}

export interface Opened {
  code: string;
  link: string;
}

export interface Rules {
  size: string;
  start: "every" | "host" | "ready";
  every_ms: number;
  countdown_ms: number;
  inspection_ms: number;
  limit_ms: number;
  grace_ms: number;
  away_ms: number;
  open_boards: boolean;
  spectator_delay_ms: number;
  friendly_timing: boolean;
}

export interface Room {
  code: string;
  public: boolean;
  locked: boolean;
  host: number | null;
  rules: Rules;
  race: string;
  commitment: string;
  seed_known: boolean;
  kind: "daily" | "quick" | "room" | "solo";
  day: string;
}

export interface Member {
  id: number;
  name: string;
  role: "player" | "spectator";
  seat: number | null;
  ready: boolean;
  connected: boolean;
  benched: boolean;
  bot: boolean;
  level: string | null;
  pace_ms: number | null;
  muted: boolean;
}

export interface Lane {
  seat: number;
  seq: number;
  high: number;
  stm: number;
  status: "dnf" | "dns" | "finished" | "forfeited" | "racing";
  board: string | null;
}

export interface Standing {
  seat: number;
  member: number;
  name: string;
  bot: boolean;
  status: "dnf" | "dns" | "finished" | "forfeited" | "racing";
  place: number | null;
  time_ms: number | null;
  solve_ms: number | null;
  credit_ms: number;
  stm: number;
  mtm: number;
  high: number;
  why: string;
  final: boolean;
  photo: boolean;
  outage_ms: number;
}

export interface RaceView {
  id: string;
  roster: Array<number>;
  elapsed_ms: number | null;
  start: string | null;
  lanes: Array<Lane>;
  standings: Array<Standing>;
  nonce_commitments: Array<string | null>;
}

export interface SeatNonce {
  seat: number;
  commitment: string | null;
  nonce: string | null;
}

export interface Results {
  o: number;
  race: string;
  standings: Array<Standing>;
  board: string;
  seed: string;
  secret: string | null;
  nonces: Array<SeatNonce>;
  friendly_timing: boolean;
  record: string;
}

export interface SeriesRow {
  place: number;
  member: number;
  name: string;
  bot: boolean;
  races: number;
  wins: number;
  points: number;
  best_ms: number | null;
  average_ms: number | null;
  average_dnf: boolean;
}

export interface SeriesTable {
  format: "ao12" | "ao5" | "first" | "mo3" | "open" | "points";
  n: number;
  by: number;
  races: number;
  over: boolean;
  rows: Array<SeriesRow>;
}

export interface Snapshot {
  o: number;
  epoch: number;
  room: Room;
  members: Array<Member>;
  phase: "aborted" | "closed" | "countdown" | "grace" | "lobby" | "racing" | "results";
  in_ms: number | null;
  race: RaceView;
  results: Results | null;
  series: SeriesTable | null;
}

export interface MemberEvent {
  o: number;
  member: Member;
  why: string;
}

export interface Gone {
  o: number;
  member: number;
  why: string;
}

export interface RoomEvent {
  o: number;
  room: Room;
  why: string;
}

export interface PhaseEvent {
  o: number;
  race: string;
  phase: "aborted" | "closed" | "countdown" | "grace" | "lobby" | "racing" | "results";
  in_ms: number | null;
  roster: Array<number>;
  why: string;
}

export interface RosterEvent {
  o: number;
  race: string;
  roster: Array<number>;
  nonce_commitments: Array<string | null>;
}

export interface StandingEvent {
  o: number;
  race: string;
  standing: Standing;
}

export interface WinnerEvent {
  o: number;
  race: string;
  seats: Array<number>;
}

export interface Closed {
  o: number;
  why: string;
}

export interface SeatProgress {
  seat: number;
  seq: number;
  high: number;
  stm: number;
  since: number;
  slides: string;
}

export interface Progress {
  race: string;
  p: Array<SeatProgress>;
}

export interface MemberLatency {
  member: number;
  rtt_ms: number;
  jitter_ms: number;
}

export interface LatencyEvent {
  lines: Array<MemberLatency>;
}

export interface Reacted {
  member: number;
  id: number;
}

export interface Signal {
  name: string;
  value: number | null;
  low: number | null;
  high: number | null;
  note: string;
  outside: boolean;
}

export interface SeatSignals {
  seat: number;
  signals: Array<Signal>;
}

export interface Signals {
  race: string;
  signals: Array<SeatSignals>;
}

export interface SeriesEvent {
  table: SeriesTable;
}

export interface BoardEvent {
  race: string;
  seat: number | null;
  seq: number;
  board: string;
  in_ms: number;
}

export interface Ack {
  race: string;
  seq: number;
}

export interface Rejected {
  race: string;
  gen: number;
  seq: number;
  code: string;
  board: string | null;
}

export interface Refused {
  of: string;
  code: string;
  text: string;
  field: string;
  value: string;
  retry_ms: number;
}

export interface Ticket {
  ticket: string;
  in_ms: number;
}

export interface Pong {
  id: number;
}

export interface RoomRow {
  code: string;
  event: string;
  kind: "daily" | "quick" | "room" | "solo";
  people: number;
  bots: number;
  phase: "aborted" | "closed" | "countdown" | "grace" | "lobby" | "racing" | "results";
  age_ms: number;
  pace_ms: number | null;
  locked: boolean;
}

export interface Rooms {
  rows: Array<RoomRow>;
  gone: Array<string>;
}

export interface Device {
  id: number;
  name: string;
  added_ms: number;
  used_ms: number;
  current: boolean;
}

export interface EventBests {
  event: string;
  attempts: number;
  finished: number;
  single_ms: number | null;
  ao5_ms: number | null;
  ao12_ms: number | null;
  race: string;
  pace_ms: number | null;
}

export interface Profile {
  id: string;
  name: string;
  created_ms: number;
  devices: Array<Device>;
  bests: Array<EventBests>;
  streak: number;
  day: string;
  dailies: Array<string>;
  forget_at_ms: number | null;
}

export interface MeEvent {
  profile: Profile | null;
}

export interface HistoryRow {
  race: string;
  started_ms: number;
  kind: "daily" | "quick" | "room" | "solo";
  status: "dnf" | "dns" | "finished" | "forfeited" | "racing";
  time_ms: number | null;
  solve_ms: number | null;
  stm: number;
  mtm: number;
  md: number;
  first_ms: number | null;
  pauses: number;
  input: "click" | "hover" | "keys" | "mixed" | "touch" | "typed" | null;
  counts: boolean;
}

export interface HistoryEvent {
  event: string;
  rows: Array<HistoryRow>;
  more: boolean;
}

export interface Gain {
  kind: "ao12" | "ao5" | "single";
  value_ms: number;
  before_ms: number | null;
}

export interface Gains {
  race: string;
  counts: boolean;
  bests: Array<Gain>;
  place: number | null;
  of: number;
  streak: number;
}

export interface RulesPatch {
  size?: string | null;
  start?: "every" | "host" | "ready" | null;
  every_ms?: number | null;
  countdown_ms?: number | null;
  inspection_ms?: number | null;
  limit_ms?: number | null;
  grace_ms?: number | null;
  away_ms?: number | null;
  open_boards?: boolean | null;
  spectator_delay_ms?: number | null;
  friendly_timing?: boolean | null;
}

export interface Create {
  name: string;
  rules?: RulesPatch;
  public?: boolean;
  seed?: string | null;
  role?: "player" | "spectator";
}

export interface Open {
  rules?: RulesPatch;
  public?: boolean;
  seed?: string | null;
}

export interface Join {
  code: string;
  name: string;
  role?: "player" | "spectator";
  bot?: boolean;
}

export interface Resume {
  code: string;
  token: string;
  epoch?: number;
  offset?: number;
}

export interface Redeem {
  code: string;
  ticket: string;
}

export interface Quick {
  event: string;
  name: string;
  pace_ms?: number | null;
}

export interface Solo {
  name: string;
  rules?: RulesPatch;
  seed?: string | null;
}

export interface Daily {
  event: "3x3" | "4x4" | "5x5";
  name: string;
}

export interface Lobby {
}

export interface Me {
}

export interface Hello {
  v: number;
  enter: ({ as: "create" } & Create) | ({ as: "open" } & Open) | ({ as: "join" } & Join) | ({ as: "resume" } & Resume) | ({ as: "redeem" } & Redeem) | ({ as: "quick" } & Quick) | ({ as: "solo" } & Solo) | ({ as: "daily" } & Daily) | ({ as: "lobby" } & Lobby) | ({ as: "me" } & Me);
  client?: string;
  can?: Array<string>;
  profile?: string | null;
}

export interface Ready {
  race: string;
  on?: boolean;
  nonce_commitment?: string | null;
}

export interface Nonce {
  race: string;
  nonce: string;
}

export interface Start {
  race: string;
}

export interface Abort {
  race: string;
}

export interface Slides {
  race: string;
  gen: number;
  seq: number;
  slides: Array<["D" | "L" | "R" | "U", number, number]>;
  approx?: boolean;
}

export interface Forfeit {
  race: string;
}

export interface Undo {
  race: string;
}

export interface CallTime {
  race: string;
}

export interface Rematch {
  race: string;
}

export interface Settings {
  rules?: RulesPatch;
  public?: boolean | null;
  seed?: string | null;
}

export interface Series {
  format: "ao12" | "ao5" | "first" | "mo3" | "open" | "points";
  n?: number;
  by?: number;
}

export interface Role {
  role: "player" | "spectator";
}

export interface Rename {
  name: string;
}

export interface Kick {
  member: number;
}

export interface Bench {
  member: number;
  on?: boolean;
}

export interface BotWanted {
  level?: "beginner" | "casual" | "club" | "expert" | "master" | "newcomer" | "record" | "strong" | null;
  pace_ms?: number | null;
}

export interface Bots {
  want: Array<BotWanted>;
}

export interface Lock {
  on?: boolean;
}

export interface React {
  id: number;
}

export interface Mute {
  member: number;
  on?: boolean;
}

export interface HandOver {
  member: number;
}

export interface Transfer {
}

export interface Leave {
}

export interface Close {
}

export interface Resync {
  seat?: number | null;
}

export interface Ping {
  id: number;
}

export interface Input {
  race: string;
  input: "click" | "hover" | "keys" | "mixed" | "touch" | "typed";
}

export interface Keep {
  name: string;
}

export interface DeviceTicket {
}

export interface Claim {
  ticket: string;
}

export interface Revoke {
  device: number;
}

export interface Forget {
  on?: boolean;
}

export interface History {
  event: string;
  before?: string | null;
}

export type ServerEvent =
  | ({ t: "welcome" } & Welcome)
  | ({ t: "opened" } & Opened)
  | ({ t: "snapshot" } & Snapshot)
  | ({ t: "member" } & MemberEvent)
  | ({ t: "gone" } & Gone)
  | ({ t: "room" } & RoomEvent)
  | ({ t: "phase" } & PhaseEvent)
  | ({ t: "roster" } & RosterEvent)
  | ({ t: "standing" } & StandingEvent)
  | ({ t: "winner" } & WinnerEvent)
  | ({ t: "results" } & Results)
  | ({ t: "closed" } & Closed)
  | ({ t: "progress" } & Progress)
  | ({ t: "lines" } & LatencyEvent)
  | ({ t: "reacted" } & Reacted)
  | ({ t: "signals" } & Signals)
  | ({ t: "series" } & SeriesEvent)
  | ({ t: "board" } & BoardEvent)
  | ({ t: "ack" } & Ack)
  | ({ t: "rejected" } & Rejected)
  | ({ t: "refused" } & Refused)
  | ({ t: "ticket" } & Ticket)
  | ({ t: "pong" } & Pong)
  | ({ t: "rooms" } & Rooms)
  | ({ t: "me" } & MeEvent)
  | ({ t: "history" } & HistoryEvent)
  | ({ t: "gains" } & Gains);

export type Command =
  | ({ t: "hello" } & Hello)
  | ({ t: "ready" } & Ready)
  | ({ t: "nonce" } & Nonce)
  | ({ t: "start" } & Start)
  | ({ t: "abort" } & Abort)
  | ({ t: "slides" } & Slides)
  | ({ t: "forfeit" } & Forfeit)
  | ({ t: "undo" } & Undo)
  | ({ t: "call_time" } & CallTime)
  | ({ t: "rematch" } & Rematch)
  | ({ t: "settings" } & Settings)
  | ({ t: "series" } & Series)
  | ({ t: "role" } & Role)
  | ({ t: "rename" } & Rename)
  | ({ t: "kick" } & Kick)
  | ({ t: "bench" } & Bench)
  | ({ t: "bots" } & Bots)
  | ({ t: "lock" } & Lock)
  | ({ t: "react" } & React)
  | ({ t: "mute" } & Mute)
  | ({ t: "hand_over" } & HandOver)
  | ({ t: "transfer" } & Transfer)
  | ({ t: "leave" } & Leave)
  | ({ t: "close" } & Close)
  | ({ t: "resync" } & Resync)
  | ({ t: "ping" } & Ping)
  | ({ t: "input" } & Input)
  | ({ t: "keep" } & Keep)
  | ({ t: "ticket" } & DeviceTicket)
  | ({ t: "claim" } & Claim)
  | ({ t: "revoke" } & Revoke)
  | ({ t: "forget" } & Forget)
  | ({ t: "history" } & History);

export const EVENTS: Map<string, (value: unknown) => object>;
