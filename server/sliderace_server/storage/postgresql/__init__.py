"""Results and profiles in PostgreSQL, which several servers can share."""
