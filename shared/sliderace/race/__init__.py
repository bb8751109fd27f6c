"""The rules of a race and of its proof: pure, without a clock of their own.

`decide` says what may happen, `apply` makes it so, `state` is what stands; `rules` are
the settings, `records` the facts. `ranking` and `timing` turn a race into places and
times, `record` writes it down for strangers, `signed` makes a file of it in `canonical`
JSON, and `verify` re-checks what was written.
`signals` sets a solve beside those of people, and judges nobody.
"""
