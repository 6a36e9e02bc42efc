"""Recognise secrets in command lines, variables and error texts, and replace them by `[removed]`.

A value is a secret because of its name (`--api-key X`, `HF_TOKEN=X`, `"password": "X"`, `Authorization: X`)
or because of its form (`hf_...`, `Bearer ...`, `https://me:X@host`). Names are compared word by word:
`--hf-token` names a secret, `--tokenizer`, `--max-tokens` and `--pad-token` do not. A few programs take a
secret as a bare word (`wandb login X`, `mysql -pX`). In doubt the value is removed: logs are published.
Another secret that is a bare word cannot be recognised.
"""

import re
from collections.abc import Sequence

REMOVED = "[removed]"

#: Parts that make any name the name of a secret.
_SECRET_PART = re.compile(r"passw|passphrase|passcode|secret|credential|access[-_.]?key", re.IGNORECASE)
#: Last words of the names of secrets: `--github-pat`, `X-Api-Key`, `HF_TOKEN`.
_SECRET_WORDS = {
    "auth", "authentication", "authorization", "bearer", "cookie", "cred", "creds", "jwt", "key", "otp",
    "pat", "pin", "pw", "pwd", "sig", "signature", "token", "webhook",
}  # fmt: skip
#: Options that are secrets only with a dash: `pass=forward` is a factor, and `Signature=X` is in URLs.
_SECRET_OPTION = re.compile(r"-+(?:[\w-]*[-_])?pass\Z")
_HARMLESS_OPTION = re.compile(r"-+signature\Z")
#: Of `--pass`: parts of a training step.
_PARTS = {"forward", "backward", "train", "inference", "eval", "fwd", "bwd", "all", "both", "optimizer"}
#: `apikey`, `accesstoken`; also `--api-keys`, although `--num-keys` and `--max-tokens` are not secrets.
_SECRET_KIND = re.compile(r"(access|api|auth|bearer|hf|hub|private|refresh|session|ssh|wandb)(key|token)s?\Z")
#: What a harmless key or token is for: `--pad-token "<pad>"`, `--sort-key name`, `--image-key jpg`.
_HARMLESS_KINDS = {
    "action", "answer", "array", "audio", "bad", "batch", "begin", "bos", "by", "cache", "caption", "class",
    "cls", "column", "config", "core", "cpu", "data", "dataset", "delimiter", "dict", "each", "end", "eod",
    "eos", "eot", "eval", "every", "feature", "field", "first", "forced", "foreign", "frame", "function",
    "group", "id", "image", "index", "initializer", "input", "label", "last", "latent", "loss", "map", "mask",
    "max", "memory", "method", "metric", "min", "model", "monitor", "motion", "n", "nb", "new", "next", "num",
    "numa", "output", "pad", "padding", "partition", "patch", "per", "placeholder", "primary", "prompt",
    "query", "question", "register", "sample", "sep", "separator", "serving", "sort", "source", "space",
    "special", "speech", "start", "state", "stop", "suppress", "target", "task", "tensor", "test", "text",
    "thread", "total", "train", "unk", "unused", "val", "valid", "video", "vision", "visual",
}  # fmt: skip
_HARMLESS_VALUES = {"", "true", "false", "yes", "no", "none", "null"}
_SHARE = re.compile(r"[01]?\.\d{1,4}\Z")  # `--drop-token 0.1`
#: Words of a name that say nothing about its kind: `TOKEN_VALUE`, `--auth-header`.
_FILLERS = {"value", "string", "header"}
_FLAG = re.compile(r"-+(use|no|with|enable|disable|skip|allow)[-_]")
_USER_OPTIONS = ("-u", "-U", "--user", "--proxy-user", "--login")
#: Programs whose command `login` is followed by a key, and those whose `-p` is a password.
_LOGIN_PROGRAMS = ("wandb", "weave", "comet", "neptune", "clearml", "ngrok", "flyctl")
_PASSWORD_PROGRAMS = (
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mariadb",
    "sshpass",
    "docker",
    "podman",
    "az",
    "7z",
    "7za",
)
#: `-pX` of an unknown program, unless it may be a long option with one dash (`-precision16`) or a port.
_SHORT_PASSWORD = re.compile(
    r"""
    -p(?!(?:acking|ad|age|ara|arse|art|ass|atch|ath|atience|eak|enalty|er|eriod|ermute|hase|in|ipe|ixel|lan|lot
          |lug|lus|ol|ool|ort|os|ower|re|rint|ri|rob|roc|roj|rom|rop|rune|t|y|p)[a-z]*)
    (?=\S*[0-9])(?=\S*[A-Za-z])[^\s=/.:]{8,}\Z
    """,
    re.VERBOSE,
)
_PORTS = re.compile(r"[\d.:-]+(?:/tcp|/udp)?\Z")
#: A bare name of a setting, before its value: `--opts WANDB_KEY X`, `aws configure set secret.key X`.
_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|[A-Za-z]\w*(?:[._][A-Za-z]\w*)+\Z")
_USER_AND_PASSWORD = re.compile(r"(?!\d+:\d+\Z)[^:/\s]+:\S+")
_LOGIN = "login"
_MIN_BARE_SECRET = 8
_MAX_COUNT_DIGITS = 7  # of a number of tokens
_SCHEMES = ("bearer", "basic", "digest", "negotiate", "token")

_QUOTE = r"""\\*["']"""
_QUOTED = rf"(?P<quote>{_QUOTE})(?:(?!(?P=quote))(?:\\.|.))*(?P=quote)"
_NAME = re.compile(rf"(?<![\w.-])([\w.-]+)(?:{_QUOTE})?\s*(?:==?|:=?)\s*")  # `name=`, `"name": `
_OPTION = re.compile(rf"(?<!\S)(--?[\w.-]+)\s+(?={_QUOTE})")
#: Quoted, a list, an object or a bare word.
_VALUE = re.compile(rf"""{_QUOTED}|\[[^\]]*\]|\{{[^}}]*\}}|\\*["']?[^\s,;&)\]}}"'\\]+""", re.DOTALL)
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)[^\s\"'][^\"'\r\n]*", re.IGNORECASE
)

#: Values that are secrets in any place.
_SECRET_FORMS = re.compile(
    r"""
      (?<=://)[^/\s"']+@                                        # user and password in a URL
    | (?<=://)[^/\s"':@]+:(?!\d+/)[^\s"'@]{8,256}@              # the key of a store may contain a slash
    | (?<![\w/.])[\w.+-]{1,64}:(?!\d+@)[^\s/@:"']{1,256}@(?!sha\d)(?=\w)  # the same without a scheme
    | (?<=hooks\.slack\.com/)[^\s"']+ | (?<=/api/webhooks/)[^\s"']+ | (?<=\.office\.com/webhook)[^\s"']+
    | (?<=api\.telegram\.org/)bot[^\s/"']+                 # secrets as a whole
    | (?<![A-Za-z0-9])(?:
          hf_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{8,} | hf_[a-z]{24,}  # Hugging Face
        | sk-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{12,}             # OpenAI and others
        | gh[oprsu]_[A-Za-z0-9]{16,} | github_pat_\w{16,} | glpat-[\w-]{12,}
        | wandb_v1_\w{8,} | r8_[A-Za-z0-9]{16,}
        | nvapi-[\w-]{16,} | gsk_[A-Za-z0-9]{16,} | xox[abeprs]-[\w-]{10,} | dapi[0-9a-f]{32}
        | (?:AKIA|ASIA)[A-Z0-9]{16} | AIza[\w-]{30,} | npm_[A-Za-z0-9]{30,} | pypi-[\w-]{32,}
        | eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*                        # JSON Web Token
      )
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*-----|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_BEARER = re.compile(r"\b(bearer\s+)[\w.~+/=-]{6,}", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Return True if an option, variable, header or key of this name has a secret as its value."""
    if _SECRET_PART.search(name) or _SECRET_OPTION.match(name):
        return True
    if _HARMLESS_OPTION.match(name):
        return False
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    while words and words[-1] in _FILLERS:
        words.pop()
    if not words:
        return False
    if _SECRET_KIND.match(words[-1]) or _SECRET_KIND.match("".join(words[-2:])):
        return True
    return words[-1] in _SECRET_WORDS and not (len(words) > 1 and words[-2] in _HARMLESS_KINDS)


def remove_secrets(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without secrets."""
    out: list[str] = []
    before = ""  # the option or header whose value the next word may be
    program = ""  # the last word that may take a secret without a name
    for word in words:
        if before and word.lower() in _SCHEMES:
            out.append(word)
        elif before and _is_value_of(before, word):
            out.append(word if _is_harmless(before, word) or REMOVED in word else REMOVED)
            before = ""
        elif program in _PASSWORD_PROGRAMS and re.match(r"-p[^\s=]", word) and not _PORTS.match(word, 2):
            out.append("-p" + REMOVED)
        else:
            out.append(_remove_from_word(word))
            program = _program_of(word) or program
            before = word if _expects_value(word, program) else before if before == _LOGIN else ""
    return out


def _program_of(word: str) -> str:
    """Return the name of a program that takes a secret without a name; "" for all other words."""
    name = word.rpartition("/")[2].strip("\"'")
    return name if name in _LOGIN_PROGRAMS or name in _PASSWORD_PROGRAMS else ""


def _is_harmless(name: str, value: str) -> bool:
    """Return True if this value of a name that names a secret is none: a flag, a count of tokens."""
    value = value.strip("\\\"'")
    if value.lower() in _HARMLESS_VALUES or _SHARE.match(value):
        return True
    if _SECRET_OPTION.match(name):
        return (value.isdecimal() and len(value) < 3) or set(re.split("[+,]", value.lower())) <= _PARTS
    words = re.findall("[a-z]+", name.lower())
    if words and words[-1] in ("token", "tokens"):
        return value.isdecimal() and len(value) <= _MAX_COUNT_DIGITS
    return bool(words) and words[-1] in ("pin", "pw") and value.isdecimal() and len(value) < 3


def _expects_value(word: str, program: str) -> bool:
    """Return True if the next word may be a secret: after `--token`, `Authorization:`, `Bearer`, `--user`."""
    if word in _USER_OPTIONS or word.lower() == "bearer":
        return True
    if (program in _LOGIN_PROGRAMS and word == _LOGIN) or (program in _PASSWORD_PROGRAMS and word == "-p"):
        return True
    if _SETTING.match(word):
        return is_secret_name(word)
    is_name = (word.startswith("-") and not re.search("[=:]", word)) or word.endswith(":")
    return is_name and is_secret_name(word)


def _is_value_of(option: str, word: str) -> bool:
    if option in _USER_OPTIONS:
        return bool(_USER_AND_PASSWORD.match(word))
    if option == _LOGIN:
        return not word.startswith("-")
    if option == "-p":
        return not _PORTS.match(word)
    if _SETTING.match(option):  # also a word of a sentence: only what does not look like another word
        return len(word) >= _MIN_BARE_SECRET and bool(re.search("[0-9]", word)) and not _SETTING.match(word)
    if _FLAG.match(option):
        return not word.startswith("-")
    return not re.match("--[A-Za-z]", word)  # a password may begin with one dash


def _remove_from_word(word: str) -> str:
    """Return a word of a command line without the secrets inside it."""
    named = re.match(r"(?P<name>[^=:\s]+)(?P<sign>=|:\s*)(?P<value>.+)", word, re.DOTALL)
    if named and re.match(r"[\w+-]", word):
        if named["name"] in _USER_OPTIONS and _USER_AND_PASSWORD.match(named["value"]):
            return named["name"] + named["sign"] + REMOVED
        if is_secret_name(named["name"]) and not _is_harmless(named["name"], named["value"]):
            return named["name"] + named["sign"] + REMOVED  # all of it: it may contain spaces and commas
    if _SHORT_PASSWORD.match(word):
        return "-p" + REMOVED
    return remove_secrets_from_text(word) if re.search(r"\s", word) else _remove_marked(word)


def remove_secrets_from_text(text: str) -> str:
    """Return a text without secrets: a variable, an error, or a command line in one string."""
    pieces = re.split(r"(\s+)", _remove_values(_OPTION, _remove_marked(text)))
    pieces[::2] = remove_secrets(pieces[::2])
    return "".join(pieces)


def _remove_marked(text: str) -> str:
    """Return a text without the secrets that a name, a header or their form marks."""
    text = _BEARER.sub(rf"\1{REMOVED}", _HEADER.sub(rf"\1\2{REMOVED}", text))
    text = _remove_values(_NAME, text)
    return _SECRET_FORMS.sub(lambda match: REMOVED + ("@" if match[0].endswith("@") else ""), text)


def _remove_values(names: "re.Pattern[str]", text: str) -> str:
    """Return a text without the values that follow names of secrets; `names` matches a name and its sign."""
    kept = []
    end = 0
    for name in names.finditer(text):
        if name.start() < end or not is_secret_name(name[1]):
            continue
        value = _VALUE.match(text, name.end())
        if value and not _is_harmless(name[1], value[0]):
            quote = value["quote"] or ""
            kept += [text[end : name.end()], quote, REMOVED, quote]
            end = value.end()
    return "".join([*kept, text[end:]])
