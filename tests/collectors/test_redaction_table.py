"""Command lines with a secret, with a name of a user or host, and harmless ones that look like them."""

import re
import shlex
import socket

import pytest

from collectors.machine import personal_names
from collectors.machine.sanitize_argv import sanitize, sanitize_text
from tests.each_of import each_of, each_row

S = "hunter2-very-Secret9"

#: Command lines with the secret S.
SECRET_LINES = """
wandb login S
bin/wandb login --relogin S
python -m wandb login S
sh -c 'wandb login S && python train.py'
comet login S
clearml login S
sshpass -p S ssh me@node
sshpass -pS ssh me@node
mysql -u me -pS db
mysqldump -pS db
mariadb -pS
sh -c 'mysql -uroot -pS -e x'
docker login -u me -p S registry
podman login -p S registry
7z x -pS archive.7z
tool -pS
--pass S
--pass=S
--db-pass S
--db_pass=S
-pass S
sh -c 'tool --pass S --fast'
--creds S
--creds=S
--cred S
--aws-creds S
--otp 482913
--otp=482913
--pin 4829
--pin=4829
--login me:S
--login=me:S
--user me:S
--proxy-user me:S
-u me:S
--access-key-id S
--aws-access-key-id=S
--aws_access_key_id S
AWS_ACCESS_KEY_ID=S
--accessKeyId=S
--secret-access-key S
--opts WANDB_KEY S
--opts LOG.DIR x WANDB.API_KEY S
--cfg-options wandb.api_key=S
--set trainer.hub_token S
aws configure set aws_secret_access_key S
env HF_TOKEN=S python train.py
-e WANDB_API_KEY=S
--env=WANDB_API_KEY=S
--export=ALL,WANDB_API_KEY=S
+trainer.logger.api_key=S
++wandb.key=S
--slack-webhook S
--webhook=S
--webhook https://hooks.slack.com/services/T00/B00/S
https://hooks.slack.com/services/T00000000/B00000000/S
--notify=https://hooks.slack.com/services/T0/B0/S
https://discord.com/api/webhooks/123456/S
https://x.webhook.office.com/webhookb2/S
https://api.telegram.org/botS/sendMessage
--token S
--token=S
--hf-token S
--hub_token=S
--use_auth_token S
--auth S
--auth-token S
--bearer S
-H 'Authorization: Bearer S'
-H 'Authorization: token S'
-H 'X-Api-Key: S'
-H 'Cookie: a=S'
--header=Authorization:S
--api-key S
--apikey S
--openai-api-key=S
--private-key S
--ssh-key S
--client-secret S
--password S
--password=S
--passwd S
--db-password S
--passphrase S
--pwd S
--pat S
--github-pat=S
--jwt S
--session-key S
--cookie a=S
--credentials S
https://me:S@host.org/x
https://S@host.org/x
postgres://me:S@db:5432/x
redis://:S@cache:6379
https://host.org/x?token=S
https://host.org/x?a=1&api_key=S
https://bucket.org/x?X-Amz-Signature=S
https://bucket.org/x?sv=1&sig=S
'{"api_key": "S"}'
'{"logger": {"token": "S"}}'
""".strip().splitlines()

#: Secrets that only their form gives away.
FORMS = [
    "wandb_v1_" + "aB3dE5fG7h" * 2,
    "r8_" + "aB3dE5fG7h" * 3,
    "hf_" + "aB3dE5fG7h" * 3,
    "sk-" + "aB3dE5fG7h" * 3,
    "ghp_" + "aB3dE5fG7h" * 3,
    "glpat-" + "aB3dE5fG7h" * 2,
    "AKIA" + "A1B2C3D4E5F6G7H8",
    "nvapi-" + "aB3dE5fG7h" * 3,
]

#: Names of persons and hosts: the line, and what becomes of it.
NAMED_LINES = [
    (r"train.py C:\Users\alice\x", r"train.py C:\Users\[removed]\x"),
    ("ssh alice@node7 nvidia-smi", "ssh [removed] nvidia-smi"),
    ("rsync alice@node7:/data/x .", "rsync [removed]:.../x ."),
    ("scp -r x alice@node7.corp:y", "scp -r x [removed]:y"),
    ("train.py ~alice/x", "train.py ~[removed]/x"),
    ("train.py --data=~alice/x", "train.py --data=~[removed]/x"),
    ("serve --host node17.corp --port 80", "serve --host [removed] --port 80"),
    ("serve --host=node17.corp", "serve --host=[removed]"),
    ("torchrun --master_addr node17 train.py", "torchrun --master_addr [removed] train.py"),
    ("torchrun --master-addr=10.1.2.3 train.py", "torchrun --master-addr=[removed] train.py"),
    ("torchrun --rdzv-endpoint=node1:29400 x", "torchrun --rdzv-endpoint=[removed] x"),
    ("client --hostname node7 run", "client --hostname [removed] run"),
    ("srun --nodelist=node[01-04] x", "srun --nodelist=[removed] x"),
    ("client 10.1.2.3", "client [removed]"),
    ("client 192.168.0.7:8080", "client [removed]:8080"),
    ("client http://10.1.2.3:80/x", "client http://[removed]:80/x"),
    ("notify alice.b@uni-x.ac.uk", "notify [removed]"),
    ("notify --email alice@example.org now", "notify --email [removed] now"),
    ("sbatch --mail-user=alice@example.org x", "sbatch --mail-user=[removed] x"),
    ("notify 'mail alice@example.org, please'", "notify 'mail [removed], please'"),
    ("tool --username alice x", "tool --username [removed] x"),
    ("tool --user_name=alice", "tool --user_name=[removed]"),
    ("tool --db-username alice", "tool --db-username [removed]"),
    ("tool run-by wintermute", "tool run-by [removed]"),
    ("tool --out=runs@straylight7", "tool --out=runs@[removed]"),
]

#: Command lines that stay as they are.
HARMLESS_LINES = """
train.py --sort_by_key
train.py --sort-by-key name
train.py --sort_by_key=loss
train.py --train_key image
train.py --val-key image
train.py --test_key=jpg
train.py --signature 'add(int,int)'
train.py --signature=add
train.py --method-signature f
train.py --speech_token '<speech>'
train.py --speech-token=<s>
train.py --visual-token '<img>'
train.py --latent-token '<l>'
train.py --patch-token p
train.py --num_register_token 4
train.py --nb-token 4
train.py --vision_token x
train.py --motion-token m
train.py --token 128
train.py --image_token 576
train.py --my-token=32000
train.py --cached_tokens 4096
train.py --max-tokens 128
train.py --max_new_tokens=512
train.py --num-tokens 1000000
train.py --pad-token '<pad>'
train.py --tokenizer gpt2
train.py --tokenizer-path gpt2
train.py --tokens-per-step 4096
train.py --token-id 5
train.py --num-keys 8
train.py --key-dim 64
train.py --text-key caption
train.py --image-key=jpg
train.py --dataset-key x
train.py --keys a b
train.py --keyboard us
train.py --monitor val_loss
train.py --author me
train.py --use_auth_token True
train.py --auth-type basic
train.py --pass forward+backward
train.py --pass=forward
train.py --pass train
train.py --pass 2
train.py --pin 4
train.py --pin-memory
train.py --pin_memory true
train.py --cpu-pin 0-7
train.py --no-pin-memory
train.py --patience 5
train.py --path data
train.py --passes 3
train.py --bypass x
train.py --compass north
train.py -p 8080
train.py -p8080
train.py -p22
train.py -patience5
train.py -precision16
train.py -per_device_batch 8
train.py -problem1
pytest -pno:cacheprovider
mkdir -p results
docker run -p 80:80 x
docker run -u 1000:1000 x
mysql -h db -P 3306
train.py login
train.py --relogin
train.py --login
wandb sync runs
wandb login
train.py --opts SOLVER.LR 0.1
train.py --opts MODEL.TOKEN 512
train.py LOG_LEVEL=2
train.py OMP_NUM_THREADS=8
train.py --run r8_b32
train.py --name wandb_v1
train.py --model hf_transformers
train.py --model sk-learn
train.py https://hooks.org/x
train.py --master_addr localhost
train.py --master_addr=127.0.0.1
serve --host 0.0.0.0 --port 80
serve --host localhost
train.py --num-hosts 2
train.py --hosts=4
train.py --host-memory 8
pip install cudnn==8.9.7.29
pip install tensorrt==10.0.1.6
train.py --trt=10.0.1.6
train.py v1.2.3.4
train.py torch@2.1.0
train.py meta/llama@main
image:1.2@sha256:0ab
git clone git@github.com:me/x
train.py ~/x
train.py --data=~/x
train.py --ip-adapter x
train.py --webdataset x
train.py --credit 5
train.py --otpimizer x
train.py --scores 5
""".strip().splitlines()


@pytest.fixture(autouse=True)
def own_names(monkeypatch):
    monkeypatch.setenv("HOME", "/home/wintermute")
    monkeypatch.setenv("USER", "wintermute")
    monkeypatch.setattr(socket, "gethostname", lambda: "straylight7.corp")


def sanitized(words):
    return sanitize(["python", *words])[1:]


def test_the_table_has_many_lines_of_both_kinds():
    assert len(SECRET_LINES) + len(FORMS) + len(NAMED_LINES) >= 88 + 25
    assert len(HARMLESS_LINES) >= 88


@each_of(SECRET_LINES)
def test_a_secret_is_removed_and_the_other_words_stay(line):
    secret = "482913" if "otp" in line else "4829" if "pin" in line else S
    words = [re.sub(r"(?<![A-Za-z_])(-p|bot|)S(?![A-Za-z_])", rf"\1{S}", word) for word in shlex.split(line)]
    assert secret in " ".join(words)
    out = sanitized(words)
    assert secret not in " ".join(out)
    assert len(out) == len(words)
    changed = [(a, b) for a, b in zip(words, out, strict=True) if a != b]
    assert all("[removed]" in after for _, after in changed)
    assert secret not in sanitize_text(shlex.join(words))


@each_of(["train.py {}", "--name={}", "--note 'a {} b'"], FORMS)
def test_a_secret_is_removed_because_of_its_form(line, secret):
    assert secret not in " ".join(sanitized(shlex.split(line.format(secret))))
    assert secret not in sanitize_text(line.format(secret))


@each_row(NAMED_LINES)
def test_names_of_users_and_hosts_are_removed(line, kept):
    words = line.split(" ") if "\\" in line else shlex.split(line)
    expected = kept.split(" ") if "\\" in line else shlex.split(kept)
    assert sanitize(words) == expected


@each_of(HARMLESS_LINES)
def test_harmless_lines_stay(line):
    words = shlex.split(line)
    assert sanitized(words) == words


@pytest.mark.parametrize("user", ["", "me", "root"])
def test_names_that_are_words_are_not_looked_for(monkeypatch, user):
    monkeypatch.setenv("USER", user)
    monkeypatch.setattr(socket, "gethostname", lambda: "node")
    assert personal_names.remove_names(["root", "me", "node"]) == ["root", "me", "node"]


@pytest.mark.parametrize("part", ["a@", "a.", "~a", "a-", "10.", "--host ", "a@b"])
def test_a_very_long_word_is_read_in_linear_time(part):
    text = part * 20_000
    assert personal_names.remove_names([text])
