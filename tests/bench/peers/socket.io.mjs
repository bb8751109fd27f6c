// Socket.IO: each message is an event `m`, and its rooms broadcast.

import { createServer } from "node:http";

import { load, port, raceOf } from "./race.mjs";

const { Server } = load("socket.io");

const http = createServer();
const server = new Server(http, { transports: ["websocket"], pingInterval: 600_000 });
server.on("connection", (socket) => {
  const answer = (event) => socket.emit("m", event);
  let race;
  let seat;
  socket.on("m", (message) => {
    if (race) {
      race.receive(seat, message, answer);
      return;
    }
    const { enter } = message;
    socket.join(enter.code);
    race = raceOf(enter.code, (event) => server.to(enter.code).emit("m", event));
    const welcome = race.enter(enter);
    seat = welcome.seat;
    answer(welcome);
  });
});
http.listen(port, "127.0.0.1");
