"""Several nodes that share their rooms through NATS; needs the extra `cluster`."""
