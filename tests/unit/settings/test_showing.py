"""Showing settings: all that is in force, and nothing of a secret."""

import tomllib
from pathlib import Path

from skillsvc.domain.limits import Limits
from skillsvc.settings.settings import make_settings
from skillsvc.settings.showing import show
from skillsvc.settings.sought import seek

HUSHED = "hush"


def shown(tables: dict[str, object], **environment: str) -> str:
    settings = make_settings(tables)
    return show(settings, seek(settings, environment), environment)


def test_all_that_is_in_force_is_shown_with_its_default() -> None:
    tables = tomllib.loads(
        shown({"server": {"poll_s": 5}, "limits": {"assets": 3}, "source": [{"name": "a", "path": "/srv"}]})
    )
    assert tables["server"] == {"insecure": False, "listen": "127.0.0.1:50051", "poll_s": 5, "drain_s": 10}
    assert tables["limits"]["assets"] == 3
    assert tables["limits"]["asset_bytes"] == Limits().asset_bytes
    assert tables["conventional"] == {"project": False, "user": False, "workspace": ".", "trusted": False}
    assert tables["source"] == [
        {
            "name": "a",
            "kind": "directory",
            "profile": "lenient",
            "tier": "explicit",
            "limits": {},
            "layout": "flat",
            "single_files": False,
            "ignore": [".DS_Store", ".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"],
            "path": "/srv",
        }
    ]


def test_what_is_shown_is_a_configuration_again() -> None:
    tables: dict[str, object] = {
        "source": [
            {"name": "a", "path": "/srv/é", "limits": {"assets": 3}, "partition": {"project": "p"}},
            {"name": "b", "kind": "oci", "reference": "example.org/a:b", "auth": {"token_env": "TOKEN"}},
        ]
    }
    assert make_settings(tomllib.loads(shown(tables))) == make_settings(
        {**tables, "limits": {name: getattr(Limits(), name) for name in Limits.__dataclass_fields__}}
    )


def test_no_secret_is_shown_but_where_it_is_and_whether_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "there").write_text(HUSHED)
    text = shown(
        {
            "source": [
                {
                    "name": f"a{number}",
                    "kind": "http",
                    "url": f"https://example.org/a?key={HUSHED}&x",
                    "auth": auth,
                }
                for number, auth in enumerate(
                    [
                        {"username": "me", "password_env": "SET"},
                        {"token_env": "UNSET"},
                        {"token_file": tmp_path / "there"},
                        {"token_file": tmp_path / "none"},
                        {"token_file": tmp_path / ("x" * 300)},
                    ]
                )
            ]
        },
        SET=HUSHED,
    )
    assert HUSHED not in text
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        "# the secret is there",
        "# the secret is not there",
        "# the secret is there",
        "# the secret is not there",
        "# the secret is not there",
    ]
    sources = tomllib.loads(text)["source"]
    assert [source["url"] for source in sources] == ["https://example.org/a?***"] * 5
    assert sources[0]["auth"] == {"username": "me", "password_env": "SET"}
    assert sources[2]["auth"] == {"token_file": str(tmp_path / "there")}


def test_what_a_provider_is_told_is_masked_where_it_may_be_a_secret() -> None:
    options = {
        "space": "agents",
        "retries": 3,
        "url": f"https://me:{HUSHED}@example.org/a?b={HUSHED}",
        "urls": [f"ssh://git:{HUSHED}@example.org/#{HUSHED}", "plain"],
        "api_key": HUSHED,
        "deep": {"Password": HUSHED, "list": [{"token": [HUSHED]}]},
    }
    text = shown({"source": [{"name": "a", "kind": "provider", "provider": "wiki", "options": options}]})
    assert HUSHED not in text
    assert tomllib.loads(text)["source"][0]["options"] == {
        "space": "agents",
        "retries": 3,
        "url": "https://***@example.org/a?***",
        "urls": ["ssh://git@example.org/#***", "plain"],
        "api_key": "***",
        "deep": {"Password": "***", "list": [{"token": "***"}]},
    }


def test_what_is_no_table_of_the_file_is_told_beside(tmp_path: Path) -> None:
    text = shown(
        {
            "conventional": {"project": True, "user": True, "workspace": tmp_path / "w"},
            "source": [{"name": "a", "path": tmp_path}, {"name": "b", "path": tmp_path}],
        },
        HOME="/me",
    )
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        f"# project-skillsvc: {tmp_path}/w/.skillsvc/skills (withheld: not trusted)",
        f"# project-agents: {tmp_path}/w/.agents/skills (withheld: not trusted)",
        f"# project-claude: {tmp_path}/w/.claude/skills (withheld: not trusted)",
        "# user-skillsvc: /me/.config/skillsvc/skills",
        "# user-agents: /me/.agents/skills",
        "# user-claude: /me/.claude/skills",
        "# b is left out: it is the same directory as a",
    ]
