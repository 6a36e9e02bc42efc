"""A column is left out if it may hold a secret, and only then: without a factor, cases become repeats of one."""

from reportgen.formats.tables.secret_names import may_be_secret
from tests.each_of import each_of

SECRETS = (
    "token", "hf_token", "access token", "Auth-Token", "api_key", "API key", "apikey", "client_secret",
    "db.password", "aws_secret_access_key", "passwd", "credentials", "config/wandb_api_key",
)  # fmt: skip
OTHERS = (
    "tokenizer", "tokens", "max_tokens", "num_output_tokens", "pad_token", "time_to_first_token", "tokenizer_path",
    "key", "sort_key", "num_keys", "bypass", "pass", "passes", "precision",
)  # fmt: skip


@each_of(SECRETS)
def test_a_secret(name: str) -> None:
    assert may_be_secret(name, "x")


@each_of(OTHERS)
def test_not_a_secret(name: str) -> None:
    assert not may_be_secret(name, "x")


def test_a_number_is_not_a_secret() -> None:
    assert not may_be_secret("token", 128)
