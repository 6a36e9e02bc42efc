"""`build --watch` and `serve`: every change of an input builds again, and pages follow."""

import urllib.error
import urllib.request

import pytest

from reportgen.cli import live_server, watching
from reportgen.cli.build_commands import build_and_print
from reportgen.cli.live_server import LiveServer, with_reload
from tests.cli.calling import call, error_of
from tests.repository import CSV, DEFINITION


@pytest.fixture
def here(repository, monkeypatch):
    monkeypatch.chdir(repository)
    return repository


def watched(here, monkeypatch, *changes):
    """Watch the repository; instead of waiting, make the next change, and stop after the last."""
    left = list(changes)

    def wait(_seconds):
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    monkeypatch.setattr(watching.time, "sleep", wait)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching.watch, "__defaults__", (wait,))
        return call("build", "reports", "--watch")


def test_a_changed_log_definition_or_text_builds_again(here, monkeypatch):
    page = here / "reports/frameworks/README.md"
    seen = []

    def change_log():
        (here / "logs/rates/rates.csv").write_text(CSV.replace("760", "1000"))

    def break_definition():
        seen.append("1,000" in page.read_text())
        (here / "reports/frameworks.toml").write_text(DEFINITION + "titel = 1\n")

    def mend_definition():
        (here / "reports/frameworks.toml").write_text(DEFINITION.replace("Frameworks", "Other title"))

    def change_text():
        seen.append(page.read_text().startswith("# Other title"))
        (here / "reports/frameworks.md").write_text("New text.\n")

    out, err = watched(here, monkeypatch, change_log, break_definition, mend_definition, change_text)
    assert seen == [True, True]
    assert "New text." in page.read_text()
    assert err.count("watching for changes") == 5
    assert err.count("\nchanged: ") == 4
    assert 'error  reports/frameworks.toml:12: figures.rates.titel: no such key; did you mean "title"?' in err
    assert "changed  reports/frameworks/README.md" in out


def test_without_a_change_nothing_is_built_again(here, monkeypatch):
    idle = [lambda: None] * 3
    assert watched(here, monkeypatch, *idle)[1].count("1 report, ") == 1


@pytest.mark.parametrize("command", [("serve", "nowhere", "--port", "0"), ("build", "nowhere", "--watch")])
def test_a_folder_that_does_not_exist_is_not_watched(here, monkeypatch, command):
    def wait(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching.watch, "__defaults__", (wait,))
    assert error_of(*command) == "nowhere: no such folder; create it with `reportgen init`"


def test_a_snapshot_has_files_of_some_suffixes_and_no_hidden_folders(tmp_path):
    for name in ("a.toml", "b/c.toml", "b/d.txt", ".git/e.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    taken = watching.take_snapshot([tmp_path, tmp_path / "absent"], (".toml",))
    assert sorted(path[len(str(tmp_path)) + 1 :] for path in taken) == ["a.toml", "b/c.toml"]
    assert watching.take_snapshot([tmp_path / "b/d.txt"])


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.read(), answer.headers


@pytest.fixture
def server(here):
    build_and_print(here / "reports")
    with LiveServer(here, "/reports/", 0) as live:
        yield live


def test_pages_are_served_with_a_script_that_reloads_them(here, server):
    page, headers = get(server.url.replace("/reports/", "/"))
    assert b"<h1>Reports</h1>" in page
    assert page.count(b"<script>") == 1
    assert headers["Cache-Control"] == "no-store"
    assert b"location.reload" not in (here / "reports/index.html").read_bytes()
    page, _ = get(f"{server.url}frameworks/index.html")
    assert live_server._DIGEST.encode() in page.partition(b"</head>")[0]
    assert (
        get(f"{server.url}frameworks/tables/rates.csv")[0]
        == (here / "reports/frameworks/tables/rates.csv").read_bytes()
    )
    assert get(server.url, Host="localhost")[0] == get(server.url)[0]  # a browser omits port 80
    before, _ = get(server.url.replace("/reports/", "/.reportgen/build"))
    server.builds += 1
    assert get(server.url.replace("/reports/", "/.reportgen/build"))[0] != before


@pytest.mark.parametrize(
    ("path", "host", "code"),
    [
        ("/reports/index.html", "evil.example:80", 403),
        ("/.git/config", None, 404),
        ("/../../etc/passwd", None, 404),
        ("/%2e%2e/%2e%2e/etc/passwd", None, 404),
        ("/logs/", None, 404),
        ("/link", None, 404),
        ("/nothing", None, 404),
    ],
)
def test_only_files_of_the_repository_are_served_to_this_host(here, server, path, host, code):
    (here / "link").symlink_to("/etc/passwd")
    (here / ".git").mkdir()
    (here / ".git/config").write_text("secret")
    with pytest.raises(urllib.error.HTTPError) as error:
        get(server.url.replace("/reports/", path), **({"Host": host} if host else {}))
    assert error.value.code == code
    error.value.close()


def test_a_page_without_our_policy_is_not_changed():
    assert with_reload(b"<html></body>") == b"<html></body>"


def test_a_port_in_use_is_one_error(here, server):
    port = server.url.split(":")[2].split("/")[0]
    assert error_of("serve", "--port", port).startswith(
        f"--port: {port} cannot be used (Address already in use)"
    )
