"""A short valid log of every format, written by hand in the form that the real writers use.

The forms are those of docs/reference/formats; all names and numbers are invented.
"""

import json

from tests.formats import tracker_files
from tests.formats.tables.fixtures_of_families import valid_logs

TORCHTITAN = b"""\
[rank0]:[titan] 2026-01-02 10:00:00,000 - root - INFO - Building 1-D device mesh with ['dp_shard'], [4]
[rank0]:[titan] 2026-01-02 10:00:01,000 - root - INFO - CUDA capacity: NVIDIA H200 with 139.81GiB memory
[rank0]:[titan] 2026-01-02 10:00:02,000 - root - INFO - Trainer is initialized with local batch size 2, \
global batch size 8, gradient accumulation steps 1, sequence length 1024, total steps 40 (warmup 2)
[rank0]:[titan] 2026-01-02 10:00:20,000 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.2500  \
\x1b[38;2;180;60;0mgrad_norm:  4.0000  \x1b[38;2;54;234;195mmemory: 10.00GiB(7.15%)  \x1b[34mtps: 205  \
\x1b[36mtflops: 1.20  \x1b[35mmfu: 0.12%\x1b[39m
[rank0]:[titan] 2026-01-02 10:00:29,000 - root - INFO - step: 10  loss: 11.0000  grad_norm:  3.0000  \
memory: 12.00GiB(8.58%)  tps: 2,048  tflops: 12.00  mfu: 1.21%
[rank0]:[titan] 2026-01-02 10:00:39,000 - root - INFO - step: 20  loss: 10.0000  grad_norm:  2.5000  \
memory: 12.00GiB(8.58%)  tps: 2,048  tflops: 12.00  mfu: 1.21%
[rank1]:[titan] 2026-01-02 10:00:39,001 - root - INFO - step: 20  loss: 10.0000  grad_norm:  2.5000  \
memory: 12.00GiB(8.58%)  tps: 2,049  tflops: 12.00  mfu: N/A
[rank0]:[titan] 2026-01-02 10:00:45,000 - root - INFO - validate step: 20  loss:  9.9000  \
memory: 12.00GiB(8.58%)  tps: 9,999
[rank0]:[titan] 2026-01-02 10:00:54,000 - root - INFO - step: 30  loss:  9.0000  grad_norm:  2.0000  \
memory: 12.50GiB(8.94%)  tps: 2,048  tflops: 12.00  mfu: 1.21%
"""

MEGATRON = b"""\
using world size: 8, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 1
------------------------ arguments ------------------------
  micro_batch_size ................................ 2
  num_layers ...................................... 24
  params_dtype .................................... torch.bfloat16
  seq_length ...................................... 2048
  world_size ...................................... 8
-------------------- end of arguments ---------------------
 [2025-06-01 12:00:10] iteration       10/      40 | consumed samples:          160 | elapsed time per iteration \
(ms): 500.0 | throughput per GPU (TFLOP/s/GPU): 200.1 | learning rate: 1.0E-05 | global batch size:    16 | \
lm loss: 1.1E+01 | loss scale: 1.0 | grad norm: 2.0 | number of skipped iterations:   0 |
 [2025-06-01 12:00:15] iteration       20/      40 | consumed samples:          320 | elapsed time per iteration \
(ms): 400.0 | throughput per GPU (TFLOP/s/GPU): 250.1 | learning rate: 1.0E-05 | global batch size:    16 | \
lm loss: 1.0E+01 | loss scale: 1.0 | grad norm: 2.0 | number of skipped iterations:   0 |
(min, max) time across ranks (ms):
    forward-backward ...............................: (390.12, 392.45)
 [2025-06-01 12:00:19] iteration       30/      40 | consumed samples:          480 | elapsed time per iteration \
(ms): 400.0/433.3 | throughput per GPU (TFLOP/s/GPU): 250.1 | learning rate: 1.0E-05 | global batch size:    16 | \
lm loss: 9.0E+00 | loss scale: 1.0 | grad norm: 2.0 | number of skipped iterations:   0 |
"""

DEEPSPEED = b"""\
[2024-03-04 08:00:00,000] [INFO] [launch.py:163:main] dist_world_size=4
[2024-03-04 08:00:01,000] [INFO] [launch.py:145:main] nnodes=1, num_local_procs=4, node_rank=0
[2024-03-04 08:00:02,000] [INFO] [config.py:978:print]   train_batch_size ............. 64
[2024-03-04 08:00:02,000] [INFO] [config.py:978:print]   train_micro_batch_size_per_gpu  4
[2024-03-04 08:00:02,000] [INFO] [config.py:978:print]   fp16_enabled ................. True
[2024-03-04 08:00:02,000] [INFO] [config.py:978:print]   zero_optimization_stage ...... 2
[2024-03-04 08:00:12,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[0.001], mom=[(0.9, 0.99)]
[2024-03-04 08:00:12,001] [INFO] [timer.py:260:stop] epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=\
250.5, CurrSamplesPerSec=256.0, MemAllocated=1.5GB, MaxMemAllocated=6.97GB
[2024-03-04 08:00:17,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=0, lr=[0.001], mom=[(0.9, 0.99)]
[2024-03-04 08:00:17,001] [INFO] [timer.py:260:stop] epoch=0/micro_step=80/global_step=20, RunningAvgSamplesPerSec=\
252.5, CurrSamplesPerSec=260.0, MemAllocated=1.5GB, MaxMemAllocated=6.97GB
[2024-03-04 08:00:22,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=30, skipped=0, lr=[0.001], mom=[(0.9, 0.99)]
"""

TRAINER_STATE = json.dumps({
    "best_metric": None, "epoch": 1.0, "global_step": 40, "log_history": [
        {"epoch": 0.5, "loss": 2.5, "num_input_tokens_seen": 20480, "step": 20, "train_runtime": 30.0},
        {"epoch": 1.0, "loss": 2.0, "num_input_tokens_seen": 40960, "step": 40, "train_runtime": 50.0},
        {"epoch": 1.0, "num_input_tokens_seen": 40960, "step": 40, "total_flos": 1e15, "train_loss": 2.2,
         "train_runtime": 52.0, "train_samples_per_second": 3.077, "train_steps_per_second": 0.769},
    ], "max_steps": 40, "train_batch_size": 4}, indent=2).encode()  # fmt: skip

NANOGPT = b"""\
tokens per iteration will be: 491,520
number of parameters: 123.59M
step 0: train loss 10.9895, val loss 10.9900
iter 0: loss 10.9774, time 25117.76ms, mfu -100.00%
iter 10: loss 10.4046, time 1000.00ms, mfu 28.86%
iter 20: loss 9.8023, time 800.00ms, mfu 28.88%
iter 30: loss 9.4981, time 600.00ms, mfu 28.91%
step 40: train loss 9.1234, val loss 9.2345
"""

MODDED_NANOGPT = b"""\
        print0(f"step:{step + 1}/{steps} train_time:{time:.0f}ms step_avg:{time / (step + 1):.2f}ms", console=True)
|   0  NVIDIA H100 80GB HBM3          On  | 00000000:00:0B.0 Off |                  Off |
world_size:8 grad_accum_steps:1
train_batch_tokens:524288 train_seq_len:1024 iterations:250 warmup_steps:20
step:0/250 val_loss:10.8258 train_time:0ms step_avg:0.03ms
step:1/250 train_time:520ms step_avg:520.12ms
step:2/250 train_time:620ms step_avg:310.00ms
step:125/250 train_time:12400ms step_avg:99.20ms
step:125/250 val_loss:4.3113 train_time:12500ms step_avg:100.00ms
step:250/250 train_time:24400ms step_avg:97.60ms
step:250/250 val_loss:3.9807 val_bpb:1.2 train_time:24500ms step_avg:98.00ms
"""

ULTRALYTICS = b"""\
epoch,time,train/box_loss,metrics/mAP50(B),val/box_loss,lr/pg0
1,50.5,1.9,0.31,1.7,0.0033
2,90.5,1.8,0.32,1.6,0.0066
3,132.5,1.7,0.33,1.5,0.0066
4,45.25,1.6,0.34,1.5,0.0066
5,83.25,1.5,0.35,1.5,0.0066
"""

ULTRALYTICS_ARGUMENTS = b"""\
task: detect
mode: train
model: /home/someone/models/yolo11n.pt
data: C:\\Users\\someone\\coco8.yaml
epochs: 5
time: null
patience: 100
batch: 16
imgsz: 640
device:
- 0
- 1
workers: 8
amp: true
"""

DETECTRON2 = b"""\
{"data_time": 0.1, "eta_seconds": 90.5, "iteration": 19, "lr": 0.001, "rank_data_time": 0.1, "time": 0.5, \
"total_loss": 2.5}
{"data_time": 0.01, "eta_seconds": 80.5, "iteration": 39, "lr": 0.002, "rank_data_time": 0.01, \
"time": 0.2575, "total_loss": 1.5, "validation_time": 9.9}
{"bbox/AP": 31.5, "bbox/AP50": 51.5, "iteration": 39}
{"data_time": 0.02, "eta_seconds": 70.5, "iteration": 59, "lr": 0.002, "rank_data_time": 0.02, "time": 0.25}
"""

KERAS = (
    "Epoch 1/2\n"
    "\r\x1b[1m  1/200\x1b[0m \x1b[37m━━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m9:57\x1b[0m 3s/step - loss: 1.9000"
    "\x08\x08\x08\r\x1b[1m200/200\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m "
    "\x1b[1m13s\x1b[0m 50ms/step - loss: 1.2500\n"
    "Epoch 2/2\n"
    "\r\x1b[1m200/200\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m "
    "\x1b[1m8s\x1b[0m 40ms/step - loss: 0.7500\n"
).encode()

YOLOX = b"""\
2024-05-02 10:11:00 | INFO     | yolox.core.trainer:130 - args: Namespace(batch_size=64, devices=4, \
experiment_name='yolox_s', fp16=True, num_machines=2, resume=False)
2024-05-02 10:11:05 | INFO     | yolox.core.trainer:261 - epoch: 1/2, iter: 10/25, mem: 9000Mb, iter_time: 0.500s, \
data_time: 0.100s, total_loss: 15.2, iou_loss: 4.0, lr: 1.2e-05, size: 640, ETA: 1:36:02
2024-05-02 10:11:09 | INFO     | yolox.core.trainer:261 - epoch: 1/2, iter: 20/25, gpu mem: 9000Mb, mem: 50.1Gb, \
iter_time: 0.400s, data_time: 0.010s, total_loss: 15.2, iou_loss: 4.0, lr: 1.2e-05, size: 544, ETA: 1:36:02
2024-05-02 10:12:00 | INFO     | yolox.core.trainer:261 - epoch: 2/2, iter: 10/25, mem: 9000Mb, iter_time: 0.300s, \
data_time: 0.010s, total_loss: 15.2, iou_loss: 4.0, lr: 1.2e-05, size: 800, ETA: 1:36:02
2024-05-02 10:12:04 | INFO     | yolox.core.trainer:261 - epoch: 2/2, iter: 20/25, mem: 9000Mb, iter_time: 0.200s, \
data_time: 0.010s, total_loss: 15.2, iou_loss: 4.0, lr: 1.2e-05, size: 640, ETA: 0:00:02
"""

FAIRSEQ = b"""\
2024-05-02 10:10:00 | INFO | fairseq_cli.train | Namespace(arch='transformer_wmt_en_de', fp16=True, max_tokens=4096)
2024-05-02 10:10:10 | INFO | fairseq_cli.train | training on 8 devices (GPUs/TPUs)
2024-05-02 10:10:10 | INFO | fairseq_cli.train | max tokens per device = 4096 and max sentences per device = None
2024-05-02 10:10:43 | INFO | train_inner | epoch 001:    100 / 250 loss=9.1, ppl=550, wps=40000, ups=3.1, wpb=12000, \
bsz=410, num_updates=100, lr=1e-05, gnorm=2.1, train_wall=29, wall=41
2024-05-02 10:11:09 | INFO | train_inner | epoch 001:    200 / 250 loss=8.1, ppl=250, wps=48000, ups=3.9, wpb=12288, \
bsz=410, num_updates=200, lr=2e-05, gnorm=2.1, train_wall=25, wall=67
2024-05-02 10:11:22 | INFO | train | epoch 001 | loss 8.5 | wps 9999 | ups 3.08 | wpb 12100 | num_updates 250 | wall 80
2024-05-02 10:11:40 | INFO | train_inner | epoch 002:     50 / 250 loss=7.1, ppl=150, wps=30000, ups=2.5, wpb=12000, \
bsz=410, num_updates=300, lr=3e-05, gnorm=2.1, train_wall=25, wall=98
2024-05-02 10:12:10 | INFO | train_inner | {"epoch": 2, "update": 1.6, "loss": "6.1", "wps": "48000", "ups": "4", \
"wpb": "12000", "bsz": "410", "num_updates": "400", "lr": "4e-05", "train_wall": "25", "wall": "123"}
"""

TORCHTUNE = b"""\
Step 1 | loss:1.83 lr:2e-05 tokens_per_second_per_gpu:210.5 peak_memory_active:17.1 peak_memory_alloc:17.1 \
peak_memory_reserved:18.0\x20
Step 2 | loss:1.73 lr:4e-05 tokens_per_second_per_gpu:2310.4 peak_memory_active:17.1 peak_memory_alloc:17.1 \
peak_memory_reserved:18.0\x20
Step 3 | loss:nan lr:6e-05 tokens_per_second_per_gpu:2300\x20
"""

OLMO = b"""\
2025-01-01 12:00:00\tnode:0\tolmo_core.train.callbacks.console_logger:114\tINFO\t[step=1/1000,epoch=1,eta=0:31:00]
    optim/total grad norm=2.100
    throughput/device/BPS=0.1000
    throughput/device/TPS=1,638
    throughput/total tokens=16,384
2025-01-01 12:00:10\tnode:0\tolmo_core.train.callbacks.console_logger:114\tINFO\t[step=10/1000,epoch=1,eta=0:31:00]
    optim/total grad norm=1.100
    throughput/device/BPS=0.5000
    throughput/device/BPS (actual avg)=0.4900
    throughput/device/TPS=8,192
    throughput/device/TPS (actual avg)=8,028
    throughput/device/data loading (%)=0.1
2025-01-01 12:00:30\tnode:0\tolmo_core.train.callbacks.console_logger:114\tINFO\t[step=20/1000,epoch=1,eta=0:29:00]
    throughput/device/BPS=0.8000
    throughput/device/TPS=13,107
    throughput/device/TPS (actual avg)=10,240
"""

MAXTEXT = b"""\
completed step: 0, seconds: 44.923, TFLOP/s/device: 17.022, Tokens/s/device: 1094.129, total_weights: 65536, loss: 12.0
completed step: 1, seconds: 0.125, TFLOP/s/device: 2400.734, Tokens/s/device: 65536, total_weights: 65536, loss: 12.0
completed step: 2, seconds: 2.000, TFLOP/s/device: 135.158, Tokens/s/device: 8192.0, total_weights: 65000, loss: 11.6
completed step: 3, seconds: 2.500, TFLOP/s/device: 135.158, Tokens/s/device: 6553.6, total_weights: 65536, loss: nan
"""

VERL = b"""\
(TaskRunner pid=77) step:1 - actor/pg_loss:0.01 - timing_s/gen:60.0 - timing_s/old_log_prob:10.0 - timing_s/ref:10.0 \
- timing_s/update_actor:15.0 - timing_s/testing:25.0 - timing_s/step:125.0 - perf/total_num_tokens:800000 \
- perf/time_per_step:125.0 - perf/throughput:800.0
(TaskRunner pid=77) step:2 - actor/pg_loss:0.01 - timing_s/gen:np.float64(41.2) - timing_s/old_log_prob:10.0 \
- timing_s/ref:10.0 - timing_s/update_actor:15.0 - timing_s/step:np.float64(100.0) - timing_per_token_ms/gen:0.1 \
- perf/total_num_tokens:np.int64(960000) - perf/time_per_step:100.0 - perf/throughput:np.float64(1200.0)
"""

NANOCHAT = b"""\
Distributed world size: 8
Tokens / micro-batch / rank: 32 x 2048 = 65,536
step 00000/100 (0.00%) | loss: 11.090355 | lrm: 1.00 | dt: 21000.00ms | tok/sec: 24,966 | mfu: 3.50 | total time: 0.00m
step 00001/100 (1.00%) | loss: 10.811110 | lrm: 1.00 | dt: 1000.00ms | tok/sec: 524,288 | mfu: 73.50 | total time: 0.00m
step 00002 (2.00%) | loss: 10.511110 | lrm: 1.00 | dt: 512.00ms | tok/sec: 1,024,000 | bf16_mfu: 73.50 | epoch: 1 pq: 0 \
rg: 3 | total time: 0.00m | eta: 95.1m
step 00003/100 (3.00%) | loss: 10.211110 | lrm: 1.00 | dt: 1024.00ms | tok/sec: ?
"""

LLMC = b"""\
| device                | NVIDIA A40                                         |
| precision             | BF16                                               |
+-----------------------+----------------------------------------------------+
| weight init method    | d12                                                |
| max_sequence_length T | 1024                                               |
batch_size B=16 * seq_len T=1024 * num_processes=8 and total_batch_size=524288
=> setting grad_accum_steps=4
val loss 11.000000
step    1/3 | loss 11.010252 (+nanz)| norm 15.1374 (+nanz)| lr 8.57e-07 | 4096.00 ms | 28.8% bf16 MFU | 128000 tok/s
step    2/3 | loss 10.910252 (+nanz)| norm 15.1374 (+nanz)| lr 1.71e-06 | 512.00 ms | -100.0% bf16 MFU | 1024000 tok/s
step    3/3 | loss 10.810252 (+0.19z)| norm 15.1374 (-1.21z)| lr 2.57e-06 | 500.00 ms | 40.4% bf16 MFU | 1036000 tok/s
val loss 10.500000
total average iteration time: 506.000000 ms
"""

TORCHVISION = b"""\
Namespace(amp=True, batch_size=32, device='cuda', distributed=True, epochs=2, lr=0.1, model='resnet50', workers=16, \
world_size=4)
Start training
Epoch: [0]  [ 0/50]  eta: 0:02:05  lr: 0.1  img/s: 15.2  loss: 6.9 (6.9)  time: 2.5000  data: 0.5000  max mem: 3000
Epoch: [0]  [20/50]  eta: 0:00:09  lr: 0.1  img/s: 99.2  loss: 6.9 (6.9)  time: 0.3000  data: 0.0200  max mem: 3500
Epoch: [0]  [40/50]  eta: 0:00:03  lr: 0.1  img/s: 99.2  loss: 6.8 (6.9)  time: 0.2000  data: 0.0100  max mem: 3524
Epoch: [0]  [49/50]  eta: 0:00:00  lr: 0.1  img/s: 99.2  loss: 6.8 (6.9)  time: 0.2000  data: 0.0100  max mem: 3524
Epoch: [0] Total time: 0:00:15 (0.3012 s / it)
Test:   [ 0/10]  eta: 0:00:10  loss: 6.1 (6.1)  acc1: 3.1 (3.1)  time: 1.0000  data: 0.9000  max mem: 3524
Test: Total time: 0:00:02
Epoch: [1]  [ 0/50]  eta: 0:01:00  lr: 0.1  img/s: 99.2  loss: 6.7 (6.7)  time: 1.2000  data: 0.9000  max mem: 3524
Epoch: [1]  [20/50]  eta: 0:00:07  lr: 0.1  img/s: 99.2  loss: 6.7 (6.7)  time: 0.2500  data: 0.0600  max mem: 3524
"""

TIMM = b"""\
Training in distributed mode with multiple processes, 1 device per process.Process 0, total 2, device cuda:0.
Model resnet18 created, param count:11689512
Train: 0 [   0/100 (  0%)]  Loss: 6.95 (6.95)  Time: 2.000s,   64.00/s  (2.000s,   64.00/s)  LR: 1.000e-05  \
Data: 1.000 (1.000)
Train: 0 [  50/100 ( 51%)]  Loss: 6.90 (6.92)  Time: 0.250s,  512.10/s  (0.300s,  426.67/s)  LR: 1.000e-05  \
Data: 0.010 (0.040)
Train: 0 [  99/100 (100%)]  Loss: 6.80 (6.90)  Time: 0.150s,   40.00/s  (0.280s,   21.43/s)  LR: 1.000e-05  \
Data: 0.010 (0.030)
Test: [   0/19]  Time: 0.560 (0.560)  Loss:  6.6912 (6.6912)  Acc@1: 0.5000 (0.5000)  Acc@5: 1.0000 (1.0000)
Train: 1 [   0/100 (  0%)]  Loss: 6.75 (6.75)  Time: 1.000s,  128.00/s  (1.000s,  128.00/s)  LR: 1.000e-05  \
Data: 0.800 (0.800)
"""

TIMM_BENCHMARK = json.dumps({
    "model": "resnet18", "infer_samples_per_sec": 4000.5, "infer_step_time": 64.002, "infer_batch_size": 256,
    "infer_img_size": 224, "infer_gmacs": 1.82, "infer_macts": 2.48, "train_samples_per_sec": 1000.25,
    "train_step_time": 128.004, "train_fwd_time": 40.5, "train_bwd_time": 80.5, "train_opt_time": 7.004,
    "train_batch_size": 128, "train_img_size": 176, "param_count": 11.69}, indent=4).encode()  # fmt: skip

MMCV = b"""\
2024-05-06 07:00:00,000 - mmseg - INFO - Environment info:
------------------------------------------------------------
GPU 0,1,2,3: Tesla V100-SXM2-32GB
------------------------------------------------------------
2024-05-06 07:00:01,000 - mmseg - INFO - Distributed training: True
2024-05-06 07:00:01,100 - mmseg - INFO - Config:
    samples_per_gpu=2,
work_dir = './work_dirs/fcn_r50'
gpu_ids = range(0, 4)
2024-05-06 07:00:20,000 - mmseg - INFO - Iter [10/40]\tlr: 1.0e-02, eta: 0:01:00, time: 2.000, data_time: 0.500, \
memory: 9000, decode.loss_ce: 2.6, loss: 3.5
2024-05-06 07:00:30,000 - mmseg - INFO - Iter [20/40]\tlr: 1.0e-02, eta: 0:00:30, time: 1.000, data_time: 0.050, \
memory: 9000, decode.loss_ce: 2.5, loss: 3.4
2024-05-06 07:00:38,000 - mmseg - INFO - Iter [30/40]\tlr: 1.0e-02, eta: 0:00:10, time: 0.800, data_time: 0.050, \
memory: 9000, decode.loss_ce: 2.4, loss: 3.3
2024-05-06 07:00:38,500 - mmseg - INFO - Iter(val) [10]\tmIoU: 0.5, mAcc: 0.6
"""

NEMO = b"""\
[NeMo I 2025-01-01 00:00:00 megatron:1] seq_length: 4096
0: Training epoch 0, iteration 0/99 | lr: 3e-05 | global_batch_size: 16 | global_step: 0 | reduced_train_loss: 9.9 | \
train_step_timing in s: 20.5
0: Training epoch 0, iteration 10/99 | lr: 3e-05 | consumed_samples: 176 | global_batch_size: 16 | global_step: 10 | \
reduced_train_loss: 9.2 | train_step_timing in s: 2.5
0: Training epoch 0, iteration 20/99 | train_step_timing in s: 2.25 | lr: 3e-05 | consumed_samples: 336 | \
global_batch_size: 16 | global_step: 20 | reduced_train_loss: 9.1
"""

_LLAMA_TEST = {
    "build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "A CPU", "gpu_info": "NVIDIA A40", "backends": "CUDA",
    "model_filename": "m.gguf", "model_type": "tiny 1B Q4_0", "n_batch": 2048, "flash_attn": False, "n_prompt": 512,
    "n_gen": 0, "n_depth": 0, "test_time": "2025-04-24T11:58:50Z", "avg_ns": 100000000, "stddev_ns": 1,
    "avg_ts": 5120.5, "stddev_ts": 1.5, "samples_ns": [99000000, 101000000], "samples_ts": [5171.7, 5069.3],
}  # fmt: skip
LLAMA_BENCH = json.dumps(
    [_LLAMA_TEST, {**_LLAMA_TEST, "n_prompt": 0, "n_gen": 128, "avg_ts": 80.25}], indent=2
).encode()
LLAMA_LINES = b"\n".join(json.dumps(one).encode() for one in json.loads(LLAMA_BENCH)) + b"\n"
LLAMA_TABLE = """\
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| tiny 1B Q4_0                   |   0.60 GiB |     1.10 B | CUDA       |  99 |           pp512 |      5120.50 ± 23.45 |
| tiny 1B Q4_0                   |   0.60 GiB |     1.10 B | CUDA       |  99 |   tg128 @ d4096 |         80.25 ± 0.59 |

build: 8cf427ff (5163)
""".encode()


def _summary(tag: str, value: str) -> dict[str, object]:
    return {"tag": tag, "name": tag, "data": [{"name": "value", "type": "float64", "value": value}]}


_STATE = {
    "name": "Device=0 N=2^20", "device": 0, "axis_values": [{"name": "N", "type": "int64", "value": "1048576"}],
    "summaries": [_summary("nv/cold/sample_size", "499"), _summary("nv/cold/time/gpu/mean", "0.001"),
                  _summary("nv/cold/time/gpu/stdev/relative", "inf"), _summary("nv/batch/time/gpu/mean", "0.0009"),
                  _summary("nv/cold/bw/global/bytes_per_second", "8e11")],
    "is_skipped": False,
}  # fmt: skip
NVBENCH = json.dumps({
    "meta": {"argv": ["bench"], "version": {"json": {"string": "1.0.0"}, "nvbench": {"string": "0.1.0"}}},
    "devices": [{"id": 0, "name": "NVIDIA A40"}],
    "benchmarks": [{"name": "copy", "index": 0, "axes": [], "states": [
        _STATE, {**_STATE, "axis_values": None, "summaries": None, "is_skipped": True, "skip_reason": "too large"}]}],
}, indent=1).encode()  # fmt: skip


def _latency(*values: float) -> dict[str, object]:
    return {"unit": "s", "values": values, "count": len(values), "mean": sum(values) / len(values)}


def _target(latency: dict[str, object], rate: float | None) -> dict[str, object]:
    throughput = None if rate is None else {"unit": "samples/s", "value": rate}
    return {"memory": None, "latency": latency, "throughput": throughput, "energy": None, "efficiency": None}


OPTIMUM_REPORT = json.dumps({
    "overall": _target(_latency(2.0, 0.5, 0.5, 3.0, 0.5, 0.25), 96.0),
    "warmup": _target(_latency(2.0, 3.0), 32.0), "train": _target(_latency(0.5, 0.5, 0.5, 0.25), 146.0),
}, indent=4).encode()  # fmt: skip
OPTIMUM_CONFIG = json.dumps({
    "name": "x", "backend": {"name": "pytorch", "_target_": "optimum_benchmark.backends.PyTorchBackend", "model": "tiny",
                             "device": "cuda", "torch_dtype": "bfloat16", "task": "fill-mask"},
    "scenario": {"name": "training", "dataset_shapes": {"sequence_length": 64},
                 "training_arguments": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2}},
    "launcher": {"name": "torchrun", "nproc_per_node": 2}, "environment": {"gpu": ["A40", "A40"], "cpu": "c"},
}, indent=4).encode()  # fmt: skip

SUPERBENCH = b"""\
{"node": "n1", "model/bert/return_code": 0, "model/bert/fp32_train_step_time": 200.0, \
"model/bert/fp32_train_throughput": 160.0, "nccl-bw/allreduce_8_busbw:0": 20.5, "monitor/gpu_temperature:0": 45}
{"node": "n2", "model/bert/return_code": 1, "mem-bw/return_code:0": 0, "mem-bw/h2d_bw:0": 26.1}
"""
MONITOR = b"""\
{"time": "2025-01-01 00:00:00", "cpu_usage": 356.0, "gpu_usage:0": 56, "gpu_power_limit:0": 250, "gpu_mem_used:0": 1024}
{"time": "2025-01-01 00:00:10", "cpu_usage": 12.0, "gpu_usage:0": 44, "gpu_power_limit:0": 250, "gpu_mem_used:0": 2048}
"""

TORCHBENCH = b"""\
Running train method from resnet50 on cuda in eager mode with input batch size 32 and precision fp32.
GPU Time per batch:   50.000 milliseconds
CPU Wall Time per batch:  51.000 milliseconds
CPU Wall Time:        51.000 milliseconds
GPU 0 Peak Memory:              5.0000 GB
"""

PICKLED = b"\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00\x8c\x1btorch.utils.benchmark.utils.common\x94."

# Redrawn in its line, a validation between two epochs, the last bar drawn once more when it is closed.
TQDM = b"""\
Map: 100%|##########| 900/900 [00:41<00:00, 21.50it/s]
\rEpoch 0:   0%|          | 0/90 [00:00<?, ?it/s]\rEpoch 0:  33%|###3      | 30/90 [00:12<00:24,  2.50it/s, loss=1.2]\
\rEpoch 0: 100%|##########| 90/90 [00:36<00:00,  2.61it/s, loss=1.1]\
\rEpoch 0: 100%|##########| 90/90 [00:36<00:00,  2.50it/s, loss=1.1]
\rValidation: 100%|##########| 9/9 [00:03<00:00,  3.00it/s]
\rEpoch 1:   0%|          | 0/90 [00:00<?, ?it/s]\rEpoch 1: 100%|##########| 90/90 [00:33<00:00,  2.70it/s, loss=1.0]
"""

# Settings that two formats take from labels.toml.
SETTINGS = {
    "nvsmi": {"columns": ["temperature.gpu", "utilization.gpu", "memory.used"]},
    "custom": {
        "name": "mine",
        "pattern": r"(?P<timestamp>\S+ \S+) mine epoch (?P<epoch>\S+) step (?P<step>\S+) of (?P<steps_per_epoch>\d+) "
        r"in (?P<step_time_ms>\S+) ms, (?P<images_per_second>\S+) images/s, precision (?P<precision>\w*)",
    },
}

# Its files are read by no other format.
SETTINGS["table"] = {
    "tables": [
        {
            "name": "mine-too",
            "rows": {"kind": "csv", "separator": ";", "decimal": ","},
            "factors": {"model": "Modell"},
            "figures": [{"column": "Latenz", "metric": "latency", "unit": "ms"}],
        }
    ]
}

# Format -> the files of a valid log with each kind of line once.
DCGMI = b"""\
#Entity   GPUTL   MCUTL   POWER     TOTEC      TMPTR   SMACT
ID                        W         mJ         C
GPU 0     98      45      301.250   2.07e+11   55      0.912
GPU 1     97      44      299.500   2.01e+11   54      N/A
GPU 0     100     46      303.750   2.08e+11   56      0.905
GPU 1     99      N/A     300.500   2.02e+11   55      0.903
"""

VALID_LOGS: dict[str, dict[str, bytes]] = {
    "custom": {
        "mine.log": b"2024-02-28 23:59:59,900 mine epoch 0 step 0 of 2 in 9.5 ms, 1,024.5 images/s, precision fp16\n"
        b"2024-02-29 00:00:00,000 mine epoch 0 step 1 of 2 in 9.1 ms, 1,034.5 images/s, precision fp16\r"
        b"2024-02-29 00:00:00.100 mine epoch 1 step 0 of 2 in 9e0 ms, 1044 images/s, precision fp16\n"
    },
    "table": {"mine.csv": b"Modell;Latenz\nresnet;12,5\nvgg;1.234,25\n"},
    "own_table": {"results.csv": b"model,batch_size,latency_ms\nresnet,32,12.5\nvgg,64,25.25\n"},
    "native": {
        "run.json": json.dumps(
            {
                "format": "reportgen-run",
                "version": 1,
                "status": "complete",
                "case": {"model": "tiny"},
                "repeat": 1,
                "samples_per_step": 4,
                "item": "image",
                "ranks": 1,
                "columns": {"duration_ns": {"clock": "host"}},
            }
        ).encode(),
        "steps.rank0.csv": b"#clock,5000,1700000000000000000\nstep,span,samples,begin_ns,duration_ns,forward_host_ns\n"
        b"1,,4,6000,100,60\n2,1,4,6100,100,\n#break,evaluation,2,6200,9200\n"
        b"step,begin_ns,duration_ns\n3,9200,100\n",
        "environment.node0.json": b'{"format": "reportgen-environment", "node": 0, "ranks": [0], '
        b'"environment": {"cpu": {"model": "x", "cores": 8}}}',
        "telemetry.node0.csv": b"#clock,5000,1700000000000000000\ndevice,monotonic_ns,power_mw\nGPU-1,6000,400000\n",
    },
    "published": {
        "source.toml": b'title = "x"\nurl = "y"\ndate = 2024-02-17\ntables = ["t.csv"]\n[factors]\na = "a"\n'
        b'[constants]\nb = 1\n[columns]\nrepeat = "r"\n[[metrics]]\ncolumn = "v"\n'
        b'metric = { column = "m" }\nunit = "s"\n[where]\na = [1, 2]\n'
        b'[[corrections]]\nwhere = { a = 1 }\ncolumn = "v"\nvalue = 3\nreason = "z"\n',
        "t.csv": b"a,r,m,v\n1,1,step_time,2.5\n2,1,step_time,3 ms\n",
    },
    "jade": {
        "slurm-7-train.out": b"Batch 101: Data Loading Time: 0.4876 seconds, Forward Pass Time: 0.1437 seconds, "
        b"Backward Pass Time: 0.3247, Batch Size: 128\nArguments\n---\ndataset: imagenet\n"
        b"batch_size: 128\nprecision: 32-true\nDevices used: 2 x Tesla V100-SXM2-32GB-LS\n"
        b"Average Data Loading Time: 0.6594 seconds\nAverage Data Preprocessing Time: 0.0000 "
        b"seconds\nAverage Forward Pass Time: 0.1774 seconds\nTotal Script Time: 451.0 seconds\n"
    },
    "lightning": {
        "pl_profile.txt": b"Profiler Report\n\nAction\t|  Mean duration (s)\t|  Total time (s) \n"
        b"get_train_batch\t|  0.001\t|  0.3  \nmodel_forward \t|  0.06  \t|  18.0  \n",
        "exp_info.json": b'{"model_name": "x", "batch_size": 8, "num_gpus": 1, "amp": true, "train_duration": 6.5}',
        "env_info.txt": b"PyTorch version: 1.7.0\nPython version: 3.6 (64-bit)\nIs CUDA available: True\n",
        "gpu_hw_info.txt": b' CUDA Device Query\nDevice 0: "A40"\n',
        "dlprof_summary.json": b'{"Summary Report": {"GPU Idle %": [60.0], "Tensor Core Kernel Utilization %": [3]}}',
        "version_0/metrics.csv": b"gpu_id: 0/memory.used (MB),gpu_id: 0/utilization.gpu (%),step,train_loss\n"
        b"12288.0,10.0,49,\n,,299,0.25\n",
        "version_1/metrics.csv": b"train/time,train/batches,train/samples,step\n5.0,50,400,49\n",
    },
    "loadgen": {
        "mlperf_log_detail.txt": b':::MLLOG {"key": "effective_scenario", "value": "Offline", "time_ms": 0.01, "namespace": '
        b'"mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": {"is_error": false}}\n'
        b':::MLLOG {"key": "result_validity", "value": "VALID", "time_ms": 9.5, "namespace": "mlperf::logging", '
        b'"event_type": "POINT_IN_TIME", "metadata": {"is_error": false}}\n'
        b':::MLLOG {"key": "result_samples_per_second", "value": 1234.5, "time_ms": 9.5, "namespace": "mlperf::logging", '
        b'"event_type": "POINT_IN_TIME", "metadata": {"is_error": false}}\n'
    },
    "mllog": {
        "result_1.txt": b'0: :::MLLOG {"namespace": "", "time_ms": 5, "event_type": "POINT_IN_TIME", '
        b'"key": "global_batch_size", "value": 8, "metadata": {"file": "x", "lineno": 1}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 1000, "event_type": "INTERVAL_START", '
        b'"key": "run_start", "value": null, "metadata": {"lineno": 1}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 1000, "event_type": "INTERVAL_START", '
        b'"key": "block_start", "value": null, "metadata": {"samples_count": 0}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 5000, "event_type": "INTERVAL_END", '
        b'"key": "block_stop", "value": null, "metadata": {"samples_count": 80}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 5000, "event_type": "POINT_IN_TIME", '
        b'"key": "tracked_stats", "value": {"throughput": 20.0}, "metadata": {"step": 80}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 6000, "event_type": "INTERVAL_END", '
        b'"key": "run_stop", "value": null, "metadata": {"status": "success"}}\n'
    },
    "dllogger": {
        "dll.log": b"DLL 2021-06-03 08:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 2\n"
        b"DLL 2021-06-03 08:00:01.000000 - Epoch: 0 Iteration: 1  train.loss : 7 train.total_ips : 1.5 img/s\n"
        b"\rDLL 2021-06-03 08:00:02.000000 - Epoch: 1 Iteration: 1  train.total_ips : 1e+02 img/s\n"
        b'DLLL {"timestamp": "1.5", "type": "METADATA", "metric": "x", "metadata": {"unit": "seq/s"}}\n'
        b'DLLL {"timestamp": "2.5", "step": [0, 1], "data": {"train.total_ips": 5}}\n'
        b"DLL 2021-06-03 08:00:03.000000 - Summary: train.total_ips : 120.25 img/s\n"
    },
    "nvlog": {
        "nv.log": b':::NVLOGv0.2.2 Tacotron2_PyT 1583224677.593999624 (/a/b.py:251) args: {"batch_size": 4, "world_size": 1}\n'
        b':::NVLOGv0.2.2 Tacotron2_PyT 1583224677.5 (/a/b.py:251) gpu_info: {"num": 1, "name": ["A40"]}\n'
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224682.666862488 (/a/b.py:251) train_epoch_start: 0\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224683.2 (/a/b.py:251) train_iter_items/sec: 9225.002668505374\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224684.2 (/a/b.py:251) train_iter_items/sec: 9226.5\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224685.2 (/a/b.py:251) train_epoch_avg_items/sec: 9225.5\n"
    },
    "bertsquad": {
        "bert.log": b"torchrun --nproc_per_node=2 run_squad.py --do_train --train_batch_size=4 --max_seq_length=384\n"
        b"\rIteration:   0%|  | 0/9 [00:00<?, ?it/s]\rIteration:   1%|  | 1/9 [00:01<00:05,  1.10s/it]"
        b"DLL 2024-08-02 12:26:25.412524 - Training Epoch: 0 Training Iteration: 1  step_loss : 6.0\n"
        b"\rIteration:   2%|  | 2/9 [00:02<00:05,  2.50it/s]\n"
        b"DLL 2024-08-02 12:27:21.472868 -  e2e_train_time : 59.7  training_sequences_per_second : 25.5\n"
    },
    "gnmt": {
        "gnmt.log": b"0: Run arguments: Namespace(bpe_codes='/x', train_batch_size=128)\n"
        b"1: TRAIN [0][10/48]\tTime 1.013 (0.994)\tData 2.48e-04 (2.24e-02)\tTok/s 23106 (21526)\tLoss/tok 9 (9)\n"
        b"0: TRAIN [0][10/48]\tTime 1.013 (0.994)\tData 2.48e-04 (2.24e-02)\tTok/s 23107 (21526)\tLoss/tok 9 (9)\n"
        b"0: Performance: Epoch: 0\tTraining: 65 Tok/s\tValidation: 3 Tok/s\n"
        b"|**GPUs**|\n|       2|                 160|         3.59|           15409.0|           8.667|\n"
    },
    "transformer": {
        "wmt.log": b"Namespace(amp=True, distributed_world_size=8, fp16=False)\n"
        b"Transformer | epoch 0 | step 10 |avg loss 11.5 |avg tokens 36158.5 |tokens/s 253237.7 |walltime 36.096 |\n"
        b"Transformer | epoch 0 | step 20 |avg loss 11.0 |avg tokens 36170.5 |tokens/s 253137.7 |walltime 37.525 |\n"
    },
    "transformerxl": {
        "txl.log": b"Experiment dir : LM-TFM\nNamespace(attn_type=0, batch_size=32, tgt_len=384)\nworld size: 2\n"
        b"| epoch   1 step       10 | batches     10 / 26883 | lr 0.000e+00 | ms/batch 774.3 | tok/s    4959 | "
        b"loss 12.54 | ppl 278894.86\nTraining throughput: 12206.99 tok/s\n"
    },
    "maskrcnn": {
        "mask.log": b"2020-07-10 01:56:50,914 maskrcnn_benchmark INFO: Using 2 GPUs\n"
        b"SOLVER:\n  IMS_PER_BATCH: 4\n2020-07-10 01:57:28,146 maskrcnn_benchmark.trainer INFO: eta: 0:02:07  iter: 20 "
        b" loss: 6.4 (6.4)  time: 0.6223 (0.7092)  data: 0.0133 (0.0480)\n2020-07-10 01:57:40,945 "
        b"maskrcnn_benchmark.trainer INFO: eta: 0:01:47  iter: 40  loss: 6.5 (6.5)  time: 0.6311 (0.6746)  data: 0 (0)\n"
        b"Training perf is: 6.641576 FPS\n"
    },
    "ssd": {
        "ssd.log": b"DLL 2021-06-26 19:49:53.195839 - PARAMETER dataset path : /data  batch size : 88  eval batch size : 32\n"
        b"Done benchmarking. Total images: 8800\ttotal time: 71.8\tAverage images/sec: 122.5\tMedian images/sec: 122.5\n"
        b"Training performance = 490.43 FPS\n"
    },
    "tacotron": {
        "taco.log": b"DLL 2021-06-26 23:13:00.000000 - PARAMETER model_name : WaveGlow\n"
        b"DLL 2021-06-26 23:13:00.000000 - PARAMETER batch_size : 10\n"
        b"DLL 2021-06-26 23:13:01.000000 - (0, 0) train_items_per_sec : 22621.28 items/s\n"
        b"DLL 2021-06-26 23:13:02.000000 - (0, 1) train_items_per_sec : 22622.28 items/s\n"
        b"DLL 2021-06-26 23:15:00.000000 - () run_time : 120.0 s\n"
    },
    "tf2": {
        "tf.log": b"I0826 15:10:09.636244 140405777909504 classifier_trainer.py:189] Final model parameters: {'runtime': "
        b"{'num_gpus': 1,\n 'worker_hosts': None},\n 'train': {'steps': 200},\n 'train_dataset': "
        b"{'batch_size': 128,\n 'dtype': 'float32',\n 'use_per_replica_batch_size': True}}\n"
        b"I0826 23:59:50.113950 140405777909504 keras_utils.py:133] TimeHistory: 116.24 seconds, 110.12 "
        b"examples/second between steps 0 and 100\nEpoch 00001: saving model to x\n"
        b"I0827 00:00:29.256277 140405777909504 keras_utils.py:133] TimeHistory: 39.13 seconds, 327.08 "
        b"examples/second between steps 100 and 200\n"
    },
    "oneflow": {
        "of.log": b"model = resnet50\nbatch_size_per_device = 128\ngpu_num_per_node = 8\nnum_nodes = 2\n"
        b"train: epoch 0, iter 20, loss: 7.087004, top_1: 0.000000, top_k: 0.000000, samples/s: 3988.891 "
        b"1597933942.9863544\n"
        b"train: epoch 0, iter 120, loss: 1.050499, top_1: 1.000000, top_k: 1.000000, samples/s: 5917.583 "
        b"1597933977.6064055\n"
    },
    "mxnet": {
        "mx.log": b"2020-08-26 10:00:00,000:INFO: Node[0] Epoch[0] Batch [0-20]\tSpeed: 392.24 samples/sec\tacc=0.1\n"
        b"2020-08-26 10:00:05,100:INFO: Node[0] Epoch[0] Batch [20-40]\tSpeed: 395.00 samples/sec\tacc=0.1\n"
    },
    "paddle": {
        "pd.log": b"2020-09-24 10:00:00,123-INFO: [Pass 0, train batch 0] \tloss 7.0, acc1 0.0, lr 0.1, elapse 1.3580 sec\n"
        b"2020-09-24 10:00:00,486-INFO: [Pass 0, train batch 1] \tloss 6.9, acc1 0.0, lr 0.1, elapse 0.3629 sec\n"
    },
    "mindspore": {
        "ms.log": b"epoch: 1 step: 39, loss is 0.024799313\nepoch time: 24.655 ms, per step time: 0.632 ms\n"
        b"epoch: 2 step: 39, loss is 0.014799313\nepoch time: 23.655 ms, per step time: 0.607 ms\n"
    },
    "hugectr": {
        "wdl.log": b"num_nodes = 1\ngpu_num_per_node = 8\n"
        b"[HUGECTR][23:59:59][INFO][RANK0]: Iter: 100 Time(100 iters): 0.315066s Loss: 0.125152 lr:0.001\n"
        b"[HUGECTR][23:59:59][INFO][RANK0]: Eval Time for 20 iters: 0.007553s\n"
        b"[HUGECTR][00:00:00][INFO][RANK0]: Iter: 200 Time(100 iters): 0.325066s Loss: 0.125152 lr:0.001\n"
        b"[HUGECTR][00:00:00][INFO][RANK0]: Finish 200 iterations with batchsize: 65536 in 0.65s.\n"
    },
    "insightface": {
        "arc.log": b"Training: 2024-05-06 07:08:09,415-: batch_size               128\n"
        b"Training: 2024-05-06 07:08:19,415-Speed 3100.00 samples/sec   Loss 34.2   LearningRate 0.1000   "
        b"Epoch: 0   Global Step: 20   Fp16 Grad Scale: 65536   Required: 31 hours\n"
        b"Training: 2024-05-06 07:08:25,780-Speed 3200.00 samples/sec   Loss 33.9   LearningRate 0.1000   "
        b"Epoch: 0   Global Step: 40   Fp16 Grad Scale: 65536   Required: 31 hours\n"
        b"Training: 2024-05-06 07:08:26,000-[lfw][40]Accuracy-Flip: 0.50000+-0.1\n"
    },
    "pytorch_examples": {
        "pt.log": b"Use GPU: 6 for training\n=> creating model 'resnet50'\n"
        b"Epoch: [0][ 0/53]\tTime 12.054 (12.054)\tData  0.001 ( 0.001)\tLoss 6.9828e+00 (6.9828e+00)\n"
        b"Epoch: [0][ 1/53]\tTime  0.970 ( 6.512)\tData  0.002 ( 0.001)\tLoss 2.6312e+01 (1.6647e+01)\n"
    },
    "benchmarktools": {
        "julia.json": b'[{"Julia":"1.7.0","BenchmarkTools":"1.0.0"},[["BenchmarkGroup",{"tags":[],"data":{"a":["Trial",'
        b'{"params":["Parameters",{"evals":1}],"times":[2e9,1e9],"gctimes":[0,0],"memory":8,"allocs":1}]}}]]]\n'
    },
    "nvsmi": {
        "gpu.csv": b"timestamp, name, uuid, utilization.gpu [%], clocks_event_reasons.active\n"
        b"2024/02/17 10:00:00.123, A40, GPU-1, 45 %, 0x0000000000000004\n"
        b"2024/02/17 10:00:01.123, A40, GPU-1, [N/A], 0x0000000000000000\n"
    },
    "profile": {
        "kernels.csv": b"Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
        b"75.0,750,3,250.0,gemm\n25.0,250,1,250.0,copy\n"
    },
    "torchtitan": {"torchtitan.log": TORCHTITAN},
    "megatron": {"megatron.log": MEGATRON},
    "deepspeed": {"deepspeed.log": DEEPSPEED},
    "hf_trainer": {"trainer_state.json": TRAINER_STATE},
    "nanogpt": {"nanogpt.log": NANOGPT},
    "modded_nanogpt": {"modded_nanogpt.log": MODDED_NANOGPT},
    "ultralytics": {"results.csv": ULTRALYTICS},
    "detectron2": {"metrics.json": DETECTRON2},
    "yolox": {"train_log.txt": YOLOX},
    "keras": {"fit.log": KERAS},
    "tensorboard": {"events.out.tfevents.1": tracker_files.TENSORBOARD},
    "mlflow": tracker_files.MLFLOW,
    "mlflow_db": {"mlflow.db": tracker_files.MLFLOW_DB},
    "dcgmi": {"dcgmi.log": DCGMI},
    "wandb_csv": {"wandb_export.csv": tracker_files.WANDB_CSV},
    "wandb_history": {"history.jsonl": tracker_files.WANDB_HISTORY},
    "wandb": {"run-2f.wandb": tracker_files.WANDB},
    "parquet": {"results.parquet": tracker_files.PARQUET},
    "fairseq": {"fairseq.log": FAIRSEQ},
    "torchtune": {"log_1714640000.txt": TORCHTUNE},
    "olmo": {"olmo.log": OLMO},
    "maxtext": {"maxtext.log": MAXTEXT},
    "verl": {"verl.log": VERL},
    "nanochat": {"nanochat.log": NANOCHAT},
    "llmc": {"llmc.log": LLMC},
    "torchvision": {"torchvision.log": TORCHVISION},
    "timm": {"timm.log": TIMM},
    "mmengine": {"mmcv.log": MMCV},
    "nemo": {"nemo.log": NEMO},
    "nvbench": {"nvbench.json": NVBENCH},
    "optimum_benchmark": {"benchmark_report.json": OPTIMUM_REPORT, "benchmark_config.json": OPTIMUM_CONFIG},
    "superbench": {"results-summary.jsonl": SUPERBENCH},
    "torchbench": {"torchbench.log": TORCHBENCH},
    "tqdm": {"tqdm.log": TQDM},
    "pickled": {"results.pkl": PICKLED},
    **valid_logs(),
}
