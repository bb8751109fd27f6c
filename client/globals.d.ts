// Names that JSDoc comments of the page use without importing them. For tsc alone.

type App = import("./sliderace_page/app.js").App;
type Aside = import("./sliderace_page/view/aside.js").Aside;
type Attempt = import("./sliderace_page/attempt.js").Attempt;
type Board = import("./sliderace_page/engine/board.js").Board;
type BoardView = import("./sliderace_page/view/board.js").BoardView;
type Lane = import("./sliderace_page/lanes.js").Lane;
type Model = import("./sliderace_page/model.js").Model;
type Seats = import("./sliderace_page/seats.js").Seats;
type Settings = import("./sliderace_page/settings.js").Settings;
type Slide = import("./sliderace_page/engine/board.js").Slide;
type Stay = import("./sliderace_page/stay.js").Stay;

/** One check of a race record. */
type Check = { name: string; verdict: string; text: string };

/** Data of the wire or of a race record: checked field by field where it comes in. */
type Wire = any;
