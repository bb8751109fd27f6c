// Names that JSDoc comments of the page use without importing them. For tsc alone.

type App = import("./sliderace_page/app/app.js").App;
type SidePanel = import("./sliderace_page/ui/parts/side-panel.js").SidePanel;
type Attempt = import("./sliderace_page/core/attempt.js").Attempt;
type Board = import("./sliderace_page/core/engine/board.js").Board;
type BoardView = import("./sliderace_page/ui/parts/board-view.js").BoardView;
type Direction = import("./sliderace_page/core/engine/board.js").Direction;
type Kept = import("./sliderace_page/core/fairness.js").Kept;
type Lane = import("./sliderace_page/core/lanes.js").Lane;
type Model = import("./sliderace_page/core/model.js").Model;
type RoomSession = import("./sliderace_page/app/room-session.js").RoomSession;
type Seats = import("./sliderace_page/app/seats.js").Seats;
type Settings = import("./sliderace_page/app/settings.js").Settings;
type Slide = import("./sliderace_page/core/engine/board.js").Slide;

type Command = import("./sliderace_page/core/messages.js").Command;
type Member = import("./sliderace_page/core/messages.js").Member;
type Results = import("./sliderace_page/core/messages.js").Results;
type Room = import("./sliderace_page/core/messages.js").Room;
type Rules = import("./sliderace_page/core/messages.js").Rules;
type ServerEvent = import("./sliderace_page/core/messages.js").ServerEvent;
type Standing = import("./sliderace_page/core/messages.js").Standing;
type TimedSlide = import("./sliderace_page/core/attempt.js").TimedSlide;
