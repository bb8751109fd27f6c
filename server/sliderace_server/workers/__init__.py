"""Worker processes on one machine: each serves some of the rooms; all share one port.

- `parent` passes connections to workers. It starts the workers, and restarts a worker
  that ends.
- `listening` opens its sockets; `arrivals` accepts the connections and reads their
  requests; `routing` decides which worker gets a connection.
- `worker` is a worker: a server that gets its connections from the parent.
- `channel` connects the two.
"""
