"""Settings: who wins over whom, what is refused, and by which name it is called."""

from pathlib import Path

import pytest

from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings, SettingsError, load_settings


def file(folder: Path, text: str) -> Path:
    path = folder / "sliderace.toml"
    path.write_text(text)
    return path


def test_nothing_said_is_the_default() -> None:
    config = load_settings({}, {})
    assert config == ServerSettings()
    assert (config.bind, config.port) == ("127.0.0.1", 8710)
    assert config.limits == Limits()


def test_a_flag_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path,
) -> None:
    path = file(tmp_path, 'port = 1\nbind = "::"\nlog_level = "error"\n')
    environ = {"SLIDERACE_PORT": "2", "SLIDERACE_LOG_LEVEL": "debug"}
    config = load_settings({"port": "3"}, environ, path)
    assert (config.port, config.log_level, config.bind) == (3, "debug", "::")


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    path = file(tmp_path, "port = 17\n")
    assert load_settings({}, {"SLIDERACE_CONFIG": str(path)}).port == 17


def test_every_limit_may_be_set_in_every_way(tmp_path: Path) -> None:
    path = file(tmp_path, "[limits]\nplayers = 3\nspectators = 0\npages_per_s = 7\n")
    environ = {"SLIDERACE_LIMIT_PLAYERS": "4"}
    config = load_settings({"limits": {"players": "5"}}, environ, path)
    assert config.limits.room.players == 5
    assert config.limits.room.spectators == 0
    assert config.limits.pages_per_s == 7
    assert load_settings({}, environ, path).limits.room.players == 4


def test_lists_come_as_text_or_as_lists(tmp_path: Path) -> None:
    path = file(tmp_path, 'hosts = ["a.example", "b.example"]\n')
    assert load_settings({}, {}, path).hosts == ("a.example", "b.example")
    config = load_settings({}, {"SLIDERACE_HOSTS": "c.example, d.example,"}, path)
    assert config.hosts == ("c.example", "d.example")


def test_the_life_of_a_lobby_is_a_limit_of_the_room() -> None:
    config = load_settings({"lobby_ttl": "0.5"}, {})
    assert config.limits.room.lobby_ttl_ms == 500


@pytest.mark.parametrize("ttl", ["nan", "inf", "-inf", "1e308"])
def test_a_life_of_no_length_is_named(ttl: str) -> None:
    with pytest.raises(SettingsError, match=r"^lobby_ttl: must be 0\.1 "):
        load_settings({"lobby_ttl": ttl}, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "prot in sliderace.toml: there is no such setting"),
        ("port = true", "port in sliderace.toml: True is not a whole number"),
        ("port = 1.5", "port in sliderace.toml: 1.5 is not a whole number"),
        (
            'memory = "perhaps"',
            "memory in sliderace.toml: 'perhaps' is not true or fal",
        ),
        ("bind = 7", "bind in sliderace.toml: 7 is not text"),
        ("lobby_ttl = true", "lobby_ttl in sliderace.toml: True is not a number"),
        ("hosts = 7", "hosts in sliderace.toml: 7 is not a list of texts"),
        ("[limits]\nfun = 1", "limits in sliderace.toml: fun: there is no such limit"),
        ("[limits]\nplayers = 'x'", "limits in sliderace.toml: players: 'x' is not a"),
        ("limits = 7", "limits in sliderace.toml: 7 is not a table"),
        ("port = [", "config: "),
    ],
)
def test_what_is_wrong_in_the_file_is_named(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings({}, {}, file(tmp_path, text))
    assert str(error.value).startswith(message)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^config: .*No such file"):
        load_settings({}, {}, tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({"port": -1}, "port"),
        ({"port": 65_536}, "port"),
        ({"lobby_ttl": float("nan")}, "lobby_ttl"),
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
def test_what_is_out_of_range_is_named(
    settings: dict[str, object], setting: str
) -> None:
    with pytest.raises(SettingsError) as error:
        ServerSettings(**settings)  # type: ignore[arg-type]
    assert error.value.setting == setting


def test_the_players_of_a_room_fit_the_seats_of_the_scramble() -> None:
    assert load_settings({"limits": {"players": 255}}, {}).limits.room.players == 255
    with pytest.raises(SettingsError, match="limit players: must be 255 or less"):
        load_settings({"limits": {"players": 256}}, {})


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
def test_the_base_path_is_told_by_itself_or_by_the_public_address(
    public_url: str, base_path: str, base: str, public: str
) -> None:
    config = ServerSettings(public_url=public_url, base_path=base_path)
    assert (config.base, config.public_base) == (base, public)


def test_where_things_are_kept(tmp_path: Path) -> None:
    assert ServerSettings(memory=True).store_url == "memory:"
    config = ServerSettings(data=str(tmp_path))
    assert config.store_url == f"sqlite:{tmp_path / 'sliderace.db'}"
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
def test_who_can_reach_us(bind: str, loopback: bool) -> None:
    assert ServerSettings(bind=bind).loopback is loopback
