"""Secrets that people type, and arguments that only look like them.

Written from the documentation alone, before its author read the code. No word of SECRET that begins with `S3c` may
be left; a line of HARMLESS stays as it is.
"""

import shlex

from collectors.machine.sanitize_argv import sanitize
from tests.each_of import each_of

SECRET = r"""
python train.py --wandb-key S3c0ffee0123456789
python train.py --wandb_api_key=S3c0ffee0123456789
python train.py --hub-token S3c0ffee
python train.py --hf.token=S3c0ffee
python train.py hub.token=S3c0ffee
python train.py +logger.wandb.api_key=S3c0ffee
python train.py trainer.logger.0.neptune_api_token=S3c0ffee
python train.py --cfg-options env.AWS_SECRET_ACCESS_KEY=S3c0ffee
python train.py --aws-access-key-id S3cAKIAIOSFODNN7 --aws-secret-access-key S3cwJalrXUtnFEMI
python train.py --db postgresql://app:S3cret@db:5432/x
python train.py --data s3://AKIA:S3cSE/CRET+x@bucket/imagenet
python train.py --redis redis://:S3cret@localhost:6379/0
python train.py --proxy http://me:S3c%40ret@proxy:3128
python train.py --mlflow-tracking-password S3cret
python train.py --passphrase "S3c correct S3c horse"
python train.py --auth me:S3cret
python train.py --basic-auth me:S3cret
python train.py --cookie "session=S3c0ffee; path=/"
python train.py --header "X-Api-Key: S3c0ffee"
python train.py --header=Cookie:session=S3c0ffee
python train.py -H "Authorization: token S3c0ffee"
python train.py -H "Authorization: Basic S3cYWxhZGRpbjo="
python train.py --config '{"api_key": "S3c0ffee", "lr": 0.1}'
python train.py --config "{'password': 'S3c0ffee'}"
python train.py --env HF_TOKEN=S3c0ffee --env LR=1
python train.py --sas "https://a.blob.core.windows.net/c?sv=2020&sig=S3c0ffee%3D"
python train.py --url "https://bucket.s3.amazonaws.com/x?X-Amz-Signature=S3c0ffee&X-Amz-Credential=S3cAKIA"
python train.py --url "https://host/data?access_token=S3c0ffee"
python train.py --webhook https://hooks.slack.com/services/S3cT00/S3cB00/S3cXXXX
python train.py --credentials S3c0ffee
python train.py --private_key S3c0ffee
python train.py --client-secret=S3c0ffee --client-id x
python train.py --license-key S3c-AAAA-BBBB
python train.py --pwd=S3cret
python train.py --pw S3cret
python train.py --user me --password=S3cret
python train.py --kaggle-key S3c0ffee
python train.py --comet_api_key S3c0ffee
python train.py --connection-string "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=S3c0ffee==;EndpointSuffix=core.windows.net"
sshpass -p S3cret ssh node python train.py
curl -u me:S3cret https://host/x
curl --user me:S3cret https://host/x
wget --http-password=S3cret https://host/x
docker login -u me -p S3cret registry
docker run -e WANDB_API_KEY=S3c0ffee image python train.py
docker run --env HF_TOKEN=S3c0ffee image
apptainer exec --env WANDB_API_KEY=S3c0ffee,LR=1 image.sif python train.py
singularity run --env LR=1,HF_TOKEN=S3c0ffee image.sif
huggingface-cli login --token S3c0ffee
hf auth login --token S3c0ffee
wandb login S3c0ffee0123456789abcdef0123456789abcdef01
wandb login --relogin S3c0ffee0123456789abcdef0123456789abcdef01
env WANDB_API_KEY=S3c0ffee python train.py
bash -c "export HF_TOKEN=S3c0ffee; python train.py"
bash -c "WANDB_API_KEY='S3c0ffee' python train.py --lr 1"
mysql -uroot -pS3cret db
psql "host=db password=S3cret dbname=x"
mpirun -x HF_TOKEN=S3c0ffee python train.py
srun --export=ALL,HF_TOKEN=S3c0ffee python train.py
git clone https://oauth2:S3cglpat@gitlab.com/a/b
git -c http.extraHeader="Authorization: Bearer S3c0ffee" fetch
openssl enc -aes-256-cbc -pass pass:S3cret -in x
gpg --passphrase S3cret -d x
aws configure set aws_secret_access_key S3c0ffee
kubectl create secret generic x --from-literal=token=S3c0ffee
az login --service-principal -u app -p S3cret --tenant t
ngc config set --api-key S3c0ffee
export OPENAI_API_KEY=S3c0ffee
"""

HARMLESS = r"""
python train.py --tokenizer-name bert-base-uncased --max-token-length 512
python train.py --tokens-per-batch 4096 --num-tokens 128
python train.py --eos-token "</s>" --bos_token "<s>" --mask-token "[MASK]"
python train.py --special-tokens-map map.json
python train.py --token-type-ids --add-special-tokens
python train.py --key-dim 64 --value-dim 64 --query-key-norm
python train.py --num-key-value-heads 8 --kv-heads 4
python train.py --key-padding-mask true
python train.py model.key_size=64 model.tokens=128
python train.py --primary-key id --sort-key length
python train.py --keyboard us --monkey 1
python train.py --passes 3 --bypass --compass north
python train.py --pass-through true --passthrough 1
python train.py --auth-mode none --no-auth
python train.py --secret-sauce false --no-secret
python train.py --credential-file none
python train.py --author jane --authority x
python train.py -p 8080 -P 4
python train.py --pin-memory true --pin_memory
python train.py --hidden 512 --hide 1
python train.py --seed 1234567890123456
python train.py --checkpoint a1b2c3d4e5f6a7b8c9d0
python train.py --revision 3f2504e04f8911d39a0c0305e82c3301
python train.py --lr=1e-4 --weight-decay=0.01 optimizer.betas=[0.9,0.999]
python train.py --json '{"lr": 0.1, "tokens": 128, "key_dim": 64}'
python train.py --url https://host/data?split=train&key_frames=1
python train.py --data s3://bucket/imagenet --endpoint https://host:9000
python train.py --attention-keys 8 --keep-keys a,b
python train.py --tokenizer.path=x --tokenizer tokenizer.json
python train.py --user-embedding 64 --users 1000 --hosts 2
python train.py --task password-strength
python train.py --signature default --sig 0.5
python train.py --cookies-dataset x --cookie-cutter y
python train.py --loss token --granularity token
python train.py --prune-token-ratio 0.5 --drop-token 0.1
python train.py --key-value-cache fp8 --cache-key batch
python train.py --hostfile hosts --master-port 29500
python train.py --access random --accesses 3
python train.py --license mit
python train.py --opt key --mode secret
torchrun --nproc-per-node 8 --rdzv-id 123 train.py
deepspeed --num_gpus 8 train.py --deepspeed ds.json
python -u train.py -b 32 -e 90 -j 8
python -m torch.distributed.run --standalone train.py
mpirun -np 16 -x NCCL_DEBUG=INFO -x OMP_NUM_THREADS=4 python train.py
srun --export=ALL,OMP_NUM_THREADS=4 -p gpu python train.py
env OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false python train.py
bash -c "ulimit -n 4096; python train.py --lr 1"
python train.py --name "run with spaces: token 5"
python train.py --filter "key != 3"
"""


@each_of(SECRET.strip().splitlines())
def test_secret_is_removed(line):
    assert "S3c" not in " ".join(sanitize(shlex.split(line)))


@each_of(HARMLESS.strip().splitlines())
def test_harmless_argument_stays(line):
    assert sanitize(shlex.split(line)) == shlex.split(line)
