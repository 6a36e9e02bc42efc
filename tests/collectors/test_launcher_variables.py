"""The rank of a process under the launchers of the field, from the variables that each documents.

One line is one process that is not rank 0 of its job, and what is true of it. A wrong rank writes over another
rank's steps, and a process that thinks that it is alone looks like a repeat. A node that nothing names is None.
Written from the launchers' documentation alone, before its author read the code.
"""

import pytest

from collectors.machine.distributed import rank_of_variables
from tests.each_of import each_of

SLURM_BATCH = (
    "SLURM_JOB_ID=7 SLURM_NODEID=0 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NNODES=2 SLURM_JOB_NUM_NODES=2 "
)
SLURM_BATCH += "SLURM_NTASKS=16 SLURM_NPROCS=16 SLURM_TASKS_PER_NODE=8(x2) SLURM_TASK_PID=99"
SRUN = "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEPID=0 SLURM_PROCID=9 SLURM_LOCALID=1 SLURM_NODEID=1 SLURM_NTASKS=16 "
SRUN += "SLURM_NPROCS=16 SLURM_STEP_NUM_TASKS=16 SLURM_STEP_NUM_NODES=2 SLURM_STEP_TASKS_PER_NODE=8(x2) "
SRUN += "SLURM_NNODES=2 SLURM_TASKS_PER_NODE=8(x2)"
OMPI = "OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=8 "
OMPI += "OMPI_COMM_WORLD_NODE_RANK=1 OMPI_UNIVERSE_SIZE=16"
TORCHRUN = "RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 LOCAL_WORLD_SIZE=8 GROUP_RANK=1 GROUP_WORLD_SIZE=2 ROLE_RANK=9 "
TORCHRUN += "ROLE_WORLD_SIZE=16 ROLE_NAME=default MASTER_ADDR=a MASTER_PORT=1 TORCHELASTIC_RUN_ID=none"

# name: variables: rank, ranks, local rank, node
LAUNCHERS = f"""
torchrun: {TORCHRUN}: 9 16 1 1
torchrun, one node: RANK=3 WORLD_SIZE=4 LOCAL_RANK=3 LOCAL_WORLD_SIZE=4 GROUP_RANK=0 ROLE_RANK=3: 3 4 3 0
srun torchrun: {SRUN.replace("=9", "=1").replace("16", "2").replace("LOCALID=1", "LOCALID=0")} {TORCHRUN}: 9 16 1 1
torchrun in a batch script: {SLURM_BATCH} {TORCHRUN}: 9 16 1 1
torch.distributed.launch, old: RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 MASTER_ADDR=a MASTER_PORT=1: 9 16 1 ?
torchx dist.ddp: TORCHX_JOB_ID=local://x/y TORCHX_RANK0_HOST=a {TORCHRUN}: 9 16 1 1
srun: {SRUN}: 9 16 1 1
srun in an array: SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 {SRUN}: 9 16 1 1
srun --mpi=pmix: PMIX_RANK=9 PMIX_NAMESPACE=slurm.pmix.7.0 PMIX_SERVER_URI2=x {SRUN}: 9 16 1 1
srun --mpi=pmi2: PMI_RANK=9 PMI_SIZE=16 PMI_FD=5 PMI_JOBID=7.0 {SRUN}: 9 16 1 1
srun of fewer tasks than the job: {SRUN.replace("SLURM_NTASKS=16", "SLURM_NTASKS=32").replace("NPROCS=16", "NPROCS=32")}: 9 16 1 1
srun of one task in a job of many: {SLURM_BATCH} SLURM_STEP_ID=2 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_NUM_NODES=1 SLURM_STEP_TASKS_PER_NODE=1: 0 1 0 0
batch script of a job with many tasks: {SLURM_BATCH}: 0 1 0 0
salloc, on the login node: SLURM_JOB_ID=7 SLURM_NNODES=2 SLURM_NTASKS=16 SLURM_NPROCS=16 SLURM_TASKS_PER_NODE=8(x2): 0 1 0 0
element of a Slurm array: SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_LOCALID=0 SLURM_NODEID=0: 0 1 0 0
srun of unequal nodes: SLURM_STEP_ID=0 SLURM_PROCID=7 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_NTASKS=10 SLURM_STEP_NUM_TASKS=10 SLURM_STEP_TASKS_PER_NODE=7,3: 7 10 0 1
srun, cyclic: SLURM_STEP_ID=0 SLURM_PROCID=9 SLURM_LOCALID=4 SLURM_NODEID=1 SLURM_NTASKS=16 SLURM_STEP_NUM_TASKS=16 SLURM_STEP_TASKS_PER_NODE=8(x2) SLURM_DISTRIBUTION=cyclic: 9 16 4 1
Open MPI 4: {OMPI} OMPI_MCA_orte_ess_num_procs=16 PMIX_RANK=9 PMIX_NAMESPACE=1: 9 16 1 1
Open MPI 5: {OMPI} PMIX_RANK=9 PMIX_NAMESPACE=prterun-a-1@1 PRTE_LAUNCHED=1: 9 16 1 1
Open MPI in a batch script: {SLURM_BATCH} {OMPI}: 9 16 1 1
Open MPI, daemons started by srun: {SRUN.replace("=9", "=1").replace("16", "2")} {OMPI}: 9 16 1 1
MPICH 4 (Hydra): PMI_RANK=9 PMI_SIZE=16 PMI_FD=6 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8 HYDI_CONTROL_FD=7: 9 16 1 1
MPICH in a batch script: {SLURM_BATCH} PMI_RANK=9 PMI_SIZE=16 PMI_FD=6 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8: 9 16 1 1
MPICH, proxies started by srun: {SRUN.replace("=9", "=1").replace("16", "2")} PMI_RANK=9 PMI_SIZE=16 PMI_FD=6 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8: 9 16 1 1
Intel MPI: PMI_RANK=9 PMI_SIZE=16 PMI_FD=9 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8 I_MPI_HYDRA_UUID=1 I_MPI_INFO_NP=16: 9 16 1 1
MVAPICH2: MV2_COMM_WORLD_RANK=9 MV2_COMM_WORLD_SIZE=16 MV2_COMM_WORLD_LOCAL_RANK=1 MV2_COMM_WORLD_LOCAL_SIZE=8 PMI_RANK=9 PMI_SIZE=16: 9 16 1 1
MVAPICH 4: MVP_COMM_WORLD_RANK=9 MVP_COMM_WORLD_SIZE=16 MVP_COMM_WORLD_LOCAL_RANK=1 MVP_COMM_WORLD_LOCAL_SIZE=8: 9 16 1 1
PALS: PALS_RANKID=9 PALS_NODEID=1 PALS_LOCAL_RANKID=1 PALS_LOCAL_SIZE=8 PALS_DEPTH=1 PMI_RANK=9 PMI_SIZE=16 PMI_LOCAL_RANK=1 PMI_LOCAL_SIZE=8 PBS_JOBID=1.a: 9 16 1 1
flux run: FLUX_TASK_RANK=9 FLUX_JOB_SIZE=16 FLUX_TASK_LOCAL_ID=1 FLUX_JOB_NNODES=2 PMI_RANK=9 PMI_SIZE=16 PMI_FD=3 FLUX_JOB_ID=f: 9 16 1 1
jsrun: JSM_NAMESPACE_RANK=9 JSM_NAMESPACE_SIZE=16 JSM_NAMESPACE_LOCAL_RANK=1 JSM_NAMESPACE_LOCAL_SIZE=8 OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=8 PMIX_RANK=9: 9 16 1 1
jsrun without Spectrum MPI: JSM_NAMESPACE_RANK=9 JSM_NAMESPACE_SIZE=16 JSM_NAMESPACE_LOCAL_RANK=1 JSM_NAMESPACE_LOCAL_SIZE=8 PMIX_RANK=9: 9 16 1 1
aprun (ALPS): ALPS_APP_PE=9 ALPS_APP_DEPTH=1 ALPS_APP_ID=3 PMI_NO_FORK=1: ValueError
aprun (ALPS) with WORLD_SIZE: ALPS_APP_PE=9 ALPS_APP_ID=3 WORLD_SIZE=16: 9 16 ? ?
horovodrun, gloo: HOROVOD_RANK=9 HOROVOD_SIZE=16 HOROVOD_LOCAL_RANK=1 HOROVOD_LOCAL_SIZE=8 HOROVOD_CROSS_RANK=1 HOROVOD_CROSS_SIZE=2 HOROVOD_CONTROLLER=gloo: 9 16 1 1
horovodrun, mpi: HOROVOD_CONTROLLER=mpi {OMPI}: 9 16 1 1
DeepSpeed, new: RANK=9 LOCAL_RANK=1 WORLD_SIZE=16 LOCAL_SIZE=8 CROSS_RANK=1 CROSS_SIZE=2 MASTER_ADDR=a CUDA_VISIBLE_DEVICES=0,1: 9 16 1 1
DeepSpeed, old: RANK=9 LOCAL_RANK=1 WORLD_SIZE=16 MASTER_ADDR=a MASTER_PORT=1 CUDA_VISIBLE_DEVICES=0,1: 9 16 1 ?
Accelerate, several nodes: {TORCHRUN} ACCELERATE_MIXED_PRECISION=bf16 ACCELERATE_USE_FSDP=false: 9 16 1 1
Accelerate, notebook_launcher: RANK=3 LOCAL_RANK=3 WORLD_SIZE=4 NODE_RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 FORK_LAUNCHED=1: 3 4 3 0
Lightning, child on one node: LOCAL_RANK=3 NODE_RANK=0 WORLD_SIZE=4 MASTER_ADDR=127.0.0.1 MASTER_PORT=1: 3 4 3 0
Lightning, child on the second node: LOCAL_RANK=1 NODE_RANK=1 WORLD_SIZE=16 MASTER_ADDR=a MASTER_PORT=1: ValueError
Ray Train: RANK=9 LOCAL_RANK=1 WORLD_SIZE=16 LOCAL_WORLD_SIZE=8 NODE_RANK=1 MASTER_ADDR=a MASTER_PORT=1 ACCELERATE_TORCH_DEVICE=cuda:1: 9 16 1 1
Composer: RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 LOCAL_WORLD_SIZE=8 NODE_RANK=1 MASTER_ADDR=a MASTER_PORT=1 PYTHONUNBUFFERED=1: 9 16 1 1
Kubeflow PyTorchJob, one process a pod: RANK=3 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=23456 PET_NODE_RANK=3 PET_NNODES=4 KUBERNETES_PORT=tcp://10.0.0.1:443 KUBERNETES_SERVICE_HOST=10.0.0.1: 3 4 0 3
Kubeflow PyTorchJob, torchrun in the pod: KUBERNETES_SERVICE_HOST=10.0.0.1 PET_NODE_RANK=1 PET_NNODES=2 PET_NPROC_PER_NODE=8 {TORCHRUN}: 9 16 1 1
Kubeflow Trainer v2 without torchrun: PET_NNODES=4 PET_NPROC_PER_NODE=1 PET_NODE_RANK=3 PET_MASTER_ADDR=a PET_MASTER_PORT=1 KUBERNETES_SERVICE_HOST=10.0.0.1 JOB_COMPLETION_INDEX=3: 3 4 0 3
Kubeflow MPIJob: {OMPI} OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile K_MPI_JOB_ROLE=worker KUBERNETES_SERVICE_HOST=10.0.0.1: 9 16 1 1
Kubeflow JAXJob: PROCESS_ID=3 NUM_PROCESSES=4 COORDINATOR_ADDRESS=a COORDINATOR_PORT=1 KUBERNETES_SERVICE_HOST=10.0.0.1: 3 4 0 3
JAX by its variables: JAX_COORDINATOR_ADDRESS=a:1 JAX_NUM_PROCESSES=4 JAX_PROCESS_ID=3: 3 4 ? ?
Kubeflow TFJob: TF_CONFIG={{"cluster":{{"worker":["a","b","c","d"]}},"task":{{"type":"worker","index":3}}}} KUBERNETES_SERVICE_HOST=10.0.0.1: 3 4 0 3
Volcano, pytorch plugin: RANK=3 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=1 VC_TASK_INDEX=2 VK_TASK_INDEX=2 KUBERNETES_SERVICE_HOST=10.0.0.1: 3 4 0 3
Polyaxon, pytorchjob: POLYAXON_RUN_UUID=a RANK=3 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=1 KUBERNETES_SERVICE_HOST=10.0.0.1: 3 4 0 3
SageMaker, torch_distributed: SM_HOSTS=["algo-1","algo-2"] SM_CURRENT_HOST=algo-2 SM_NUM_GPUS=8 {TORCHRUN}: 9 16 1 1
SageMaker, MPI: SM_HOSTS=["algo-1","algo-2"] SM_CURRENT_HOST=algo-2 SM_NUM_GPUS=8 {OMPI}: 9 16 1 1
SageMaker, one process a host: SM_HOSTS=["algo-1","algo-2"] SM_CURRENT_HOST=algo-2 SM_NUM_GPUS=8 SM_MODEL_DIR=/opt/ml/model: 1 2 0 1
Azure ML, pytorch: RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 NODE_RANK=1 MASTER_ADDR=a MASTER_PORT=1 AZUREML_RUN_ID=x: 9 16 1 1
Azure ML, MPI: AZUREML_RUN_ID=x AZ_BATCH_MASTER_NODE=a:1 {OMPI}: 9 16 1 1
Vertex, one process a node: RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1 CLUSTER_SPEC={{"cluster":{{"workerpool0":["a"],"workerpool1":["b"]}},"task":{{"type":"workerpool1","index":0}}}}: 1 2 0 1
Vertex, without RANK: CLUSTER_SPEC={{"cluster":{{"workerpool0":["a"],"workerpool1":["b"]}},"task":{{"type":"workerpool1","index":0}}}} CLOUD_ML_JOB_ID=7: 1 2 0 1
Determined, torch_distributed: DET_CLUSTER_ID=x DET_TRIAL_ID=1 {TORCHRUN}: 9 16 1 1
Determined, horovod: DET_CLUSTER_ID=x HOROVOD_RANK=9 HOROVOD_SIZE=16 HOROVOD_LOCAL_RANK=1 HOROVOD_LOCAL_SIZE=8 HOROVOD_CROSS_RANK=1 HOROVOD_CROSS_SIZE=2: 9 16 1 1
SkyPilot, one process a node: SKYPILOT_NODE_RANK=1 SKYPILOT_NUM_NODES=2 SKYPILOT_NUM_GPUS_PER_NODE=8 SKYPILOT_TASK_ID=x: 1 2 0 1
SkyPilot, torchrun: SKYPILOT_NODE_RANK=1 SKYPILOT_NUM_NODES=2 SKYPILOT_NUM_GPUS_PER_NODE=8 {TORCHRUN}: 9 16 1 1
pbsdsh of Torque: PBS_JOBID=1.a PBS_TASKNUM=5 PBS_NODENUM=1 PBS_VNODENUM=3 PBS_NP=4 PBS_NUM_NODES=2 PBS_NUM_PPN=2: 0 1 0 0
blaunch of LSF: LSB_JOBID=7 LSF_PM_TASKID=4 LSB_DJOB_NUMPROC=4 LSB_MCPU_HOSTS=a 2 b 2: 0 1 0 0
bsub of one task: LSB_JOBID=7 LSB_DJOB_NUMPROC=4 LSB_MCPU_HOSTS=a 4 LSB_JOBINDEX=0: 0 1 0 0
mpirun of LSF: LSB_JOBID=7 LSB_DJOB_NUMPROC=16 {OMPI}: 9 16 1 1
Cobalt with mpirun: COBALT_JOBID=7 COBALT_PARTSIZE=2 PMI_RANK=9 PMI_SIZE=16 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8: 9 16 1 1
PMIx alone (prun): PMIX_RANK=9 PMIX_NAMESPACE=prte-a-1@1 PMIX_SERVER_URI4=x: ValueError
PMI alone: PMI_RANK=9 PMI_SIZE=16 PMI_FD=6: 9 16 ? ?
Spectrum MPI: {OMPI} PMIX_RANK=9: 9 16 1 1
paddle.distributed.launch: PADDLE_TRAINER_ID=9 PADDLE_TRAINERS_NUM=16 PADDLE_RANK_IN_NODE=1 PADDLE_LOCAL_SIZE=8 PADDLE_GLOBAL_RANK=9 PADDLE_LOCAL_RANK=1 PADDLE_NNODES=2: 9 16 1 1
MindSpore msrun: RANK_ID=9 RANK_SIZE=16 DEVICE_ID=1 MS_WORKER_NUM=16 MS_NODE_ID=9 MS_ROLE=MS_WORKER: 9 16 ? ?
Dask worker: DASK_PARENT=1 DASK_WORKER_NAME=w3: 0 1 0 0
Kubernetes indexed Job: JOB_COMPLETION_INDEX=3 KUBERNETES_SERVICE_HOST=10.0.0.1: 0 1 0 0
nothing: HOME=/root: 0 1 0 0
RANK without WORLD_SIZE: RANK=3: 3 ? ? ?
RANK of a file system in the shell: RANK=gold: 0 1 0 0
LOCAL_RANK left over from a shell: LOCAL_RANK=0: 0 1 0 0
WORLD_SIZE of one: WORLD_SIZE=1 RANK=0: 0 1 0 ?
PMI of the batch system, one task: PMI_RANK=0 PMI_SIZE=1 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_NODEID=0: 0 1 0 0
two launchers, mpirun of torchrun: {OMPI.replace("=9", "=1").replace("16", "2")} {TORCHRUN}: 9 16 1 1
two launchers, mpirun that exports RANK itself: {OMPI} RANK=9 WORLD_SIZE=16 LOCAL_RANK=1: 9 16 1 1
two launchers, stale RANK of the login shell: {SRUN} RANK=0 WORLD_SIZE=1: 9 16 1 1
"""


def split(line):
    """Return the name, the variables and the true values of a line."""
    name, rest = line.split(": ", 1)
    variables, true = rest.rsplit(": ", 1)
    environ, last = {}, None
    for word in variables.split(" "):
        if "=" in word:
            last, value = word.split("=", 1)
            environ[last] = value
        else:
            environ[last] += " " + word
    return name, environ, true.split()


@each_of(LAUNCHERS.strip().splitlines())
def test_rank_is_right_or_unknown(line):
    _, environ, true = split(line)
    if true == ["ValueError"]:
        with pytest.raises(
            ValueError,
            match=r"the rank of this process is unknown|the number of ranks is unknown; set WORLD_SIZE",
        ):
            rank_of_variables(environ)
        return
    found = rank_of_variables(environ)
    values = (found.rank, found.ranks, found.local_rank, found.node)
    known = [
        (str(value), text)
        for value, text in zip(values, true, strict=True)
        if text != "?" and value is not None
    ]
    assert known
    assert all(value == text for value, text in known)
