// Colyseus: each message has the type `m` and our JSON as a string. Its synchronised
// state is not used, since it sends changes every 50 ms instead of each move at once.

import { load, port, Race } from "./race.mjs";

const { Room, Server } = load("@colyseus/core");
const { WebSocketTransport } = load("@colyseus/ws-transport");

class RaceRoom extends Room {
  onCreate() {
    const race = new Race((event) => this.broadcast("m", JSON.stringify(event)));
    this.onMessage("m", (client, text) => {
      const message = JSON.parse(text);
      const answer = (event) => client.send("m", JSON.stringify(event));
      if (message.t === "hello") {
        const welcome = race.enter(message.enter);
        client.userData = welcome.seat;
        answer(welcome);
      } else {
        race.receive(client.userData, message, answer);
      }
    });
  }
}

const server = new Server({
  greet: false,
  transport: new WebSocketTransport({ pingInterval: 0 }),
});
server.define("race", RaceRoom).filterBy(["code"]);
await server.listen(port, "127.0.0.1");
