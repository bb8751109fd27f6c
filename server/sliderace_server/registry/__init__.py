"""The rooms of one server: found by code, opened, recovered, and run one by one."""
