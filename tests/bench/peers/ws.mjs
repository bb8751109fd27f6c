// The package `ws`: our JSON in WebSocket texts, encoded once per room.

import { load, port, raceOf } from "./race.mjs";

const { WebSocketServer } = load("ws");
const rooms = new Map();

new WebSocketServer({ host: "127.0.0.1", port, perMessageDeflate: false }).on(
  "connection",
  (socket) => {
    const answer = (event) => socket.send(JSON.stringify(event));
    let race;
    let seat;
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      if (race) {
        race.receive(seat, message, answer);
        return;
      }
      const { enter } = message;
      if (!rooms.has(enter.code)) rooms.set(enter.code, new Set());
      const members = rooms.get(enter.code).add(socket);
      socket.on("close", () => members.delete(socket));
      race = raceOf(enter.code, (event) => {
        const text = JSON.stringify(event);
        for (const member of members) member.send(text);
      });
      const welcome = race.enter(enter);
      seat = welcome.seat;
      answer(welcome);
    });
  },
);
