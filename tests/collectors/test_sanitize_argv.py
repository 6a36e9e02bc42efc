"""Command lines, variables and errors are recorded without secrets and private paths, and with all else."""

import json
from pathlib import Path

import pytest

from collectors.machine import environment
from collectors.machine.redaction import is_secret_name, remove_secrets, remove_secrets_from_text
from collectors.machine.sanitize_argv import sanitize, sanitize_text
from tests.each_of import each_of, each_row

S = "hunter2-very-secret"
HF, SK = "hf_" + "aB3dE5fG7hJ9" * 2, "sk-" + "proj-aB3dE5fG7hJ9kL"

SECRET_NAMES = """
    --token --hf-token --hf_token --access-token --auth_token HF_TOKEN TOKEN_2 trainer.hub_token accessToken
    --api-key --api-keys --apikey apiKey X-Api-Key WANDB_API_KEY AWS_SECRET_ACCESS_KEY --key --private-key
    --password --passwd --db-password --passphrase --pwd --pat --github-pat --secret --client-secret-value
    --credentials --auth Authorization Proxy-Authorization Cookie X-Amz-Signature --access_tokens TOKEN_VALUE
""".split()  # noqa: SIM905
PLAIN_NAMES = """
    --tokenizer --max-tokens --num-keys --author --authors --tokens-per-step --num-tokens --max_new_tokens
    --pad-token --eos_token --mask-token --stop-token --tokens --keys --sort-key --image-key --text-key
    --n-token --dataset-key --key-dim --token-id --patience --path --keyboard --signal --auth-type --cwd --monitor Error x
""".split()  # noqa: SIM905


@each_of(SECRET_NAMES)
def test_these_names_have_secret_values(name):
    assert is_secret_name(name)
    for line in ([f"{name}={S}"], [f"--env={name}={S}"], [f'{{"{name}": "{S}"}}'], [f"{name}: {S}"]):
        assert S not in remove_secrets(line)[0]
        assert S not in remove_secrets_from_text(line[0])


@each_of(PLAIN_NAMES)
def test_the_values_of_these_names_stay(name):
    assert not is_secret_name(name)
    for line in ([name, "gpt2", "8"], [f"{name}=8"], [f'{{"{name}": "8"}}'], [f"{name}: 8"], [f"{name} 8 x"]):
        assert remove_secrets(line) == line
        assert remove_secrets_from_text(" ".join(line)) == " ".join(line)


@each_row([
    (["--lr", "0.1"], ["--lr", "0.1"]),
    (["--token", S, "x"], ["--token", "[removed]", "x"]),
    (["-token", S], ["-token", "[removed]"]),
    (["--password", "-" + S], ["--password", "[removed]"]),
    (["--password", "--fast"], ["--password", "--fast"]),
    (["--use-auth", "--fast"], ["--use-auth", "--fast"]),
    (["--use-auth", "-v"], ["--use-auth", "-v"]),
    (["--use_auth_token", "True"], ["--use_auth_token", "True"]),
    (["--key=" + S + ", with spaces"], ["--key=[removed]"]),
    (["tokens.txt"], ["tokens.txt"]),
    (["-eHF_TOKEN=" + S], ["-eHF_TOKEN=[removed]"]),
    (["env:HF_TOKEN=" + S], ["env:HF_TOKEN=[removed]"]),
    (["-H", f"Authorization: Bearer {S}"], ["-H", "Authorization: [removed]"]),
    (["-H", "Authorization:", "Bearer", S], ["-H", "Authorization:", "Bearer", "[removed]"]),
    (["-H", "Bearer", S], ["-H", "Bearer", "[removed]"]),
    (["-H", f"X-Api-Key: {S}"], ["-H", "X-Api-Key: [removed]"]),
    (["-u", f"me:{S}"], ["-u", "[removed]"]),
    (["-u", "train.py"], ["-u", "train.py"]),
    ([f"--user=me:{S}"], ["--user=[removed]"]),
    (["--user", "1000:1000"], ["--user", "1000:1000"]),
    ([f"https://me:{S}@host/x@y"], ["https://[removed]@host/x@y"]),
    ([f"https://me:a@{S}@host/x"], ["https://[removed]@host/x"]),
    ([f"me:{S}@proxy:8080"], ["[removed]@proxy:8080"]),
    (["image:1.2@sha256:0ab"], ["image:1.2@sha256:0ab"]),
    (["git@host:me/x"], ["git@host:me/x"]),
    ([f"https://host/x?a=1&access_token={S}&b=2"], ["https://host/x?a=1&access_token=[removed]&b=2"]),
    (["--model", HF, SK], ["--model", "[removed]", "[removed]"]),
    (["hf_transformers", "sk-learn", "task-0123456789abc"], ["hf_transformers", "sk-learn", "task-0123456789abc"]),
    (["ghp_" + "a1" * 18, "glpat-" + "a1" * 10], ["[removed]", "[removed]"]),
    (
        [f'{{"api_key": "a\\"{S}", "max_tokens": 5, "in": {{"token": "{S}"}}}}'],
        ['{"api_key": "[removed]", "max_tokens": 5, "in": {"token": "[removed]"}}'],
    ),
    ([f'{{"passwords": ["{S}", "x"], "n": 1}}'], ['{"passwords": [removed], "n": 1}']),
    ([rf"{{\"api_key\": \"{S}\", \"n\": 1}}"], [r"{\"api_key\": \"[removed]\", \"n\": 1}"]),
    (
        ["-c", f"curl --token 'a {S}' -H 'Cookie: a=b; c={S}' --retry 3 --pat {S}"],
        ["-c", "curl --token '[removed]' -H 'Cookie: [removed]' --retry 3 --pat [removed]"],
    ),
])  # fmt: skip
def test_secrets_are_removed_and_other_words_stay(line, kept):
    assert remove_secrets(line) == kept


@pytest.mark.parametrize("part", ["a-", "a:", "sk-", "/a ", "hf_", "a/", "x=", "{", '"', "eyJ"])
def test_a_very_long_word_is_read_in_linear_time(part):
    text = part * 100_000  # minutes, if each character started a search to the end
    assert remove_secrets([text]) == [text]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"401 for https://me:{S}@h/x?token={S}", "401 for https://[removed]@h/x?token=[removed]"),
        (f"bad request: {{'Authorization': 'Bearer {S}'}}", "bad request: {'Authorization': '[removed]'}"),
        (f"Invalid user token {HF}.", "Invalid user token [removed]."),
        ("KeyError: 'token'", "KeyError: 'token'"),
        ("size mismatch for key.weight: copying a param", "size mismatch for key.weight: copying a param"),
        ("No such file: '/mnt/jane/x.txt'", "No such file: '.../x.txt'"),
        ('open("/home/me/x") and/or 3 / 4', 'open("~/x") and/or 3 / 4'),
        (f"--fast --auth_token {S} --also", "--fast --auth_token [removed] --also"),
    ],
)
def test_errors_and_variables_have_neither_secrets_nor_paths(text, kept, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert sanitize_text(text) == kept
    monkeypatch.setenv("XLA_FLAGS", text)
    assert environment.capture()["variables"]["XLA_FLAGS"] == kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (["/opt/x/bin/python", "train.py"], ["python", "train.py"]),
        (["python", "/home/me/work/train.py"], ["python", "train.py"]),
        (["python", "--data=/home/me/work/data", "/home/me/work"], ["python", "--data=data", "."]),
        (["python", "/home/me/other/train.py"], ["python", "~/other/train.py"]),
        (["python", "/home/me2/train.py"], ["python", ".../train.py"]),
        (["python", "--data", "/mnt/jane/imagenet"], ["python", "--data", ".../imagenet"]),
        (["python", "--data=/mnt/jane/imagenet"], ["python", "--data=.../imagenet"]),
        (["python", "a:/mnt/x:/mnt/y"], ["python", "a:.../x:.../y"]),
        (["python", '{"data": "/mnt/jane/x", "n": 1}'], ["python", '{"data": ".../x", "n": 1}']),
        (["python", "['/mnt/jane/x','/home/me/y']"], ["python", "['.../x','~/y']"]),
        (["sh", "-c", "ls /mnt/jane /home/me/work/x"], ["sh", "-c", "ls .../jane x"]),
        (["python", "/mnt/jane doe/x y/z"], ["python", ".../z"]),
        (["gcc", "-I/mnt/jane/include"], ["gcc", "-I.../include"]),
        (["python", "file:///mnt/jane/x"], ["python", "file://.../x"]),
        (["python", "https://host/model/x"], ["python", "https://host/model/x"]),
        (["python", "and/or", "/"], ["python", "and/or", "/"]),
        ([], []),
    ],
)
def test_a_command_is_recorded_without_private_paths(line, kept, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(Path, "cwd", lambda: Path("/home/me/work"))
    assert sanitize(line) == kept


def test_the_home_folder_below_the_working_folder_is_not_named(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(Path, "cwd", lambda: Path("/home"))
    assert sanitize(["python", "/home/me/x", "/home/y"]) == ["python", "~/x", "y"]


@pytest.mark.slow
def test_the_error_of_a_run_has_no_secret(script):
    script.write(f"with Recorder.start():\n    raise ValueError('GET https://me:{S}@host/x?token={S}')")
    script.run(launcher=True)
    folder = script.only_run()
    run = json.loads((folder / "run.json").read_text())
    assert run["error"] == "ValueError: GET https://[removed]@host/x?token=[removed]"
    assert S not in (folder / "steps.rank0.csv").read_text()
