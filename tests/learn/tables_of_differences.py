"""Tables with words of a ratio or a difference: they are computed only if the file shows from what."""

from tests.learn.tables_of_people import PeoplesTable

DIFFERENCES = {
    "times of a difference alone": PeoplesTable(
        "layers.csv",
        "layer,delta_ms,scaling time (ms)\na,1.5,3.5\nb,2.5,3.75\nc,2.25,5.5\n",
        6,
        (("delta", 0.0025, {"layer": "b"}), ("scaling_time", 0.0055, {"layer": "c"})),
    ),
    "a difference of memory alone": PeoplesTable(
        "models.csv",
        "model,Delta VRAM (MiB),load (s)\na,1520,3.5\nb,2510,3.75\n",
        4,
        (("delta_vram", 2510 * 2**20, {"model": "b"}),),
    ),
    "memory that was saved is not the memory that is used": PeoplesTable(
        "saved.csv",
        "model,memory saved (MB),latency increase (ms)\na,33,1.5\nb,44,2.5\n",
        4,
        (("memory_saved", 44e6, {"model": "b"}), ("latency_increase", 0.0025, {"model": "b"})),
    ),
    "an efficiency in a unit of its own": PeoplesTable(
        "chips.csv",
        "chip,tokens/s,efficiency (tokens/s/W)\na,120,1.5\nb,250,1.75\n",
        4,
        (("efficiency", 1.75, {"chip": "b"}),),
    ),
    "a difference of two columns": PeoplesTable(
        "two.csv",
        "case,plain (ms),traced (ms),overhead (ms)\na,12.5,14.0,1.5\nb,20.5,24.0,3.5\nc,31.5,37.0,5.5\n",
        6,
        (("latency", 0.024, {"case": "b", "variant": "traced"}),),
    ),
    "words of a difference that are names": PeoplesTable(
        "tables.csv",
        "engine,drop latency (ms),insert latency (ms)\na,1.5,12.5\nb,1.75,14.5\n",
        4,
        (("latency", 1.5e-3, {"engine": "a", "variant": "drop"}),),
    ),
    "the reduction of a sum, and a regression of statistics": PeoplesTable(
        "kernels.csv",
        "size,sum reduction (ms),logistic regression (ms)\n64,1.5,12.5\n128,1.75,14.5\n",
        4,
        (("sum_reduction_time", 1.75e-3, {"size": 128}), ("logistic_regression_time", 12.5e-3, {"size": 64})),
    ),
    "a quantity that changed": PeoplesTable(
        "commits.csv",
        "commit,time (s),fps drop (%),drop in accuracy (%),latency regression (%)\na,2.5,3.5,0.5,1.5\nb,2.75,4.5,1.5,2.5\n",
        2,
        (("run_time", 2.75, {"commit": "b"}),),
    ),
    "plain numbers that a word alone calls a difference": PeoplesTable(
        "suite.csv",
        "engine,ms,DeltaBlue,Penalty\na,1.5,592,7.25\nb,2.5,691,9.5\nc,4.25,318,8.75\n",
        3,
        (("latency", 0.0025, {"engine": "b"}),),
        frozenset({"DeltaBlue", "Penalty"}),
    ),
    "differences to the first row": PeoplesTable(
        "base.csv",
        "engine,ms,delta\na,1.5,0.0\nb,2.75,1.25\nc,4.25,2.75\n",
        3,
        (("latency", 0.00275, {"engine": "b"}),),
    ),
}
