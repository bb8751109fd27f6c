"""The rules of a race, as a pure state machine over log records.

`decide` turns a command into records or a refusal, `deadlines` turns the passing of
time into records, `apply` folds records into the `state`. `starting` is the part of
`decide` up to the start, with the draw of the board. `rules` are the settings,
`log_records` the records; `timing` and `ranking` turn a race into times and places.
"""
