CREATE INDEX resting_until ON resting (until_ms);
