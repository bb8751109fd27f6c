"""Settings: which source wins, which values are refused, and how errors name them."""

from pathlib import Path

import pytest

from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings, SettingsError, load_settings

PORT = "must be an integer from 0 to 65535, not"
TTL = "must be a number from 0.1 to 86400, not"


def toml_file(folder: Path, text: str) -> Path:
    path = folder / "sliderace.toml"
    path.write_text(text)
    return path


def test_without_any_source_the_defaults_apply() -> None:
    settings = load_settings({}, {})
    assert settings == ServerSettings()
    assert (settings.bind, settings.port) == ("127.0.0.1", 8710)
    assert settings.limits == Limits()


def test_an_option_overrides_a_variable_which_overrides_the_file(
    tmp_path: Path,
) -> None:
    path = toml_file(tmp_path, 'port = 1\nbind = "::"\nlog_level = "error"\n')
    environ = {"SLIDERACE_PORT": "2", "SLIDERACE_LOG_LEVEL": "debug"}
    settings = load_settings({"port": "3"}, environ, path)
    assert (settings.port, settings.log_level, settings.bind) == (3, "debug", "::")


def test_a_variable_may_name_the_file(tmp_path: Path) -> None:
    path = toml_file(tmp_path, "port = 17\n")
    assert load_settings({}, {"SLIDERACE_CONFIG": str(path)}).port == 17


def test_every_source_may_set_limits(tmp_path: Path) -> None:
    path = toml_file(
        tmp_path, "[limits]\nplayers = 3\nspectators = 0\npages_per_s = 7\n"
    )
    environ = {"SLIDERACE_LIMIT_PLAYERS": "4"}
    settings = load_settings({"limits": {"players": "5"}}, environ, path)
    assert settings.limits.room.players == 5
    assert settings.limits.room.spectators == 0
    assert settings.limits.pages_per_s == 7
    assert load_settings({}, environ, path).limits.room.players == 4


def test_lists_may_be_arrays_or_comma_separated_text(tmp_path: Path) -> None:
    path = toml_file(tmp_path, 'hosts = ["a.example", "b.example"]\n')
    assert load_settings({}, {}, path).hosts == ("a.example", "b.example")
    settings = load_settings({}, {"SLIDERACE_HOSTS": "c.example, d.example,"}, path)
    assert settings.hosts == ("c.example", "d.example")


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes", True), ("True", True), ("1", True), ("no", False), ("false", False)],
)
def test_variables_may_say_yes_and_no(text: str, *, value: bool) -> None:
    assert load_settings({}, {"SLIDERACE_MEMORY": text}).memory is value


def test_spaces_around_a_number_are_ignored() -> None:
    assert load_settings({}, {"SLIDERACE_PORT": " 17 "}).port == 17


def test_lobby_ttl_sets_the_limit_of_the_room() -> None:
    settings = load_settings({"lobby_ttl": "0.5"}, {})
    assert settings.limits.room.lobby_ttl_ms == 500


@pytest.mark.parametrize("ttl", ["nan", "inf", "-inf", "1e308"])
def test_a_ttl_out_of_range_is_refused(ttl: str) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings({"lobby_ttl": ttl}, {})
    assert str(error.value) == f"--lobby-ttl: {TTL} {ttl!r}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "prot in sliderace.toml: unknown setting"),
        ("port = true", f"port in sliderace.toml: {PORT} True"),
        ("port = 1.5", f"port in sliderace.toml: {PORT} 1.5"),
        ("port = 65536", f"port in sliderace.toml: {PORT} 65536"),
        (
            'memory = "perhaps"',
            "memory in sliderace.toml: must be true or false, not 'perhaps'",
        ),
        ("bind = 7", "bind in sliderace.toml: must be a text, not 7"),
        ("lobby_ttl = true", f"lobby_ttl in sliderace.toml: {TTL} True"),
        ("hosts = 7", "hosts in sliderace.toml: must be a list of texts, not 7"),
        ("[limits]\nfun = 1", "limit fun in sliderace.toml: unknown setting"),
        (
            "[limits]\nplayers = 'x'",
            "limit players in sliderace.toml: must be an integer from 1 to 255, not",
        ),
        ("limits = 7", "limits in sliderace.toml: must be a table, not 7"),
        ("port = [", "config: "),
    ],
)
def test_an_error_names_the_setting_the_file_and_the_range(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings({}, {}, toml_file(tmp_path, text))
    assert str(error.value).startswith(message)


def test_the_brokers_of_a_cluster_share_the_scheme_of_the_first() -> None:
    settings = ServerSettings(
        cluster="tls://u:p@a:4222,b, tls://[::1]:4223", results="postgresql://a/b"
    )
    assert settings.brokers() == ("tls://u:p@a:4222", "tls://b", "tls://[::1]:4223")
    assert ServerSettings(node="n-1").node_name == "n-1"
    assert ServerSettings().node_name


def test_an_error_names_the_environment_variable() -> None:
    for variable, message in (
        ("SLIDERACE_PORT", f"SLIDERACE_PORT: {PORT} 'x'"),
        (
            "SLIDERACE_LIMIT_SPECTATORS",
            "SLIDERACE_LIMIT_SPECTATORS: must be an integer, 0 or more, not 'x'",
        ),
        ("SLIDERACE_LIMIT_FUN", "SLIDERACE_LIMIT_FUN: unknown setting"),
    ):
        with pytest.raises(SettingsError) as error:
            load_settings({}, {variable: "x"})
        assert str(error.value) == message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^config: .*No such file"):
        load_settings({}, {}, tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("values", "setting"),
    [
        ({"port": -1}, "port"),
        ({"port": 65_536}, "port"),
        ({"lobby_ttl": float("nan")}, "lobby_ttl"),
        ({"cluster": "a:4222"}, "cluster"),
        ({"cluster": "http://a"}, "cluster"),
        ({"cluster": "nats://"}, "cluster"),
        ({"cluster": "nats://a,"}, "cluster"),
        ({"cluster": "nats://a:x"}, "cluster"),
        ({"cluster": "nats://a/b"}, "cluster"),
        ({"cluster": "nats://a", "memory": True}, "memory"),
        ({"cluster": "nats://a", "workers": "2"}, "workers"),
        ({"cluster_prefix": "Sr"}, "cluster_prefix"),
        ({"cluster_prefix": ""}, "cluster_prefix"),
        ({"node": "a.b"}, "node"),
        ({"cluster": "nats://a"}, "cluster"),
        ({"log_level": "loud"}, "log_level"),
        ({"durability": "some"}, "durability"),
        ({"public_url": "race.example"}, "public_url"),
        ({"public_url": "https://race.example/a//b"}, "public_url"),
        ({"public_url": "https://race.example/a?b"}, "public_url"),
        ({"base_path": "race"}, "base_path"),
        ({"base_path": "/../x"}, "base_path"),
        ({"base_path": "/a b"}, "base_path"),
        ({"base_path": "/b", "public_url": "https://race.example/a"}, "base_path"),
        ({"tls_key": "key.pem"}, "tls_key"),
        ({"public_url": "https://["}, "public_url"),
        ({"public_url": "https://race.example:99999"}, "public_url"),
        ({"bind": ""}, "bind"),
        ({"bind": " "}, "bind"),
        ({"trusted_proxies": ("192.0.2.1/8",)}, "trusted_proxies"),
        ({"memory": True, "database": "x.db"}, "memory"),
        ({"limits": Limits(messages_per_s=0)}, "limit messages_per_s"),
        ({"limits": Limits(up_bytes=2_049)}, "limit up_bytes"),
    ],
)
def test_invalid_values_are_refused_by_the_name_of_their_setting(
    values: dict[str, object], setting: str
) -> None:
    with pytest.raises(SettingsError) as error:
        ServerSettings(**values)  # type: ignore[arg-type]
    assert error.value.setting == setting


@pytest.mark.parametrize("character", "/?#[@,")
def test_no_error_quotes_a_part_of_a_password(character: str) -> None:
    place = f"://user:S3{character}CRET@host:4222"
    said = ""
    for values in (
        {"cluster": f"nats{place}", "results": "postgresql://a/b"},
        {"results": f"postgresql{place}/database"},
    ):
        try:
            ServerSettings(**values)  # type: ignore[arg-type]
        except SettingsError as error:
            said += str(error)
    assert bool(said) == (character in "/?#[,")  # else it is read correctly
    assert "S3" not in said
    assert "CRET" not in said


def test_a_room_has_at_most_as_many_players_as_there_are_seat_numbers() -> None:
    assert load_settings({"limits": {"players": 255}}, {}).limits.room.players == 255
    with pytest.raises(SettingsError) as error:
        load_settings({"limits": {"players": 256}}, {})
    message = "--limit players: must be an integer from 1 to 255, not 256"
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("public_url", "base_path", "base", "public"),
    [
        ("", "", "", ""),
        ("", "/", "", ""),
        ("", "/race/", "/race", ""),
        ("https://race.example/", "", "", "https://race.example"),
        ("https://race.example/a/b", "", "/a/b", "https://race.example/a/b"),
        ("https://race.example", "/race", "/race", "https://race.example/race"),
        ("https://race.example/race", "/race", "/race", "https://race.example/race"),
    ],
)
def test_the_base_path_comes_from_its_own_setting_or_the_public_address(
    public_url: str, base_path: str, base: str, public: str
) -> None:
    settings = ServerSettings(public_url=public_url, base_path=base_path)
    assert (settings.base, settings.public_base) == (base, public)


def test_the_store_is_in_memory_in_the_data_folder_or_in_the_named_file(
    tmp_path: Path,
) -> None:
    assert ServerSettings(memory=True).store_url == "memory:"
    settings = ServerSettings(data=str(tmp_path))
    assert settings.store_url == f"sqlite:{tmp_path / 'sliderace.db'}"
    assert ServerSettings(database="x.db").store_url == "sqlite:x.db"
    assert ServerSettings().data_path.name == "sliderace"


@pytest.mark.parametrize(
    ("bind", "loopback"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("race.example", False),
    ],
)
def test_only_loopback_addresses_are_private_to_this_machine(
    bind: str, loopback: bool
) -> None:
    assert ServerSettings(bind=bind).loopback is loopback
