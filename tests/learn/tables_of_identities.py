"""Tables whose rows are distinguished by a column that is usually neither a setting nor a result."""

from tests.learn.tables_of_people import PeoplesTable

IDENTITIES = {
    "tables with one header that is padded differently": PeoplesTable(
        "chips.md",
        "# Small\n\n| Name | Time (ms) |\n|------|-----------|\n| a    | 1.5       |\n| b    | 2.5       |\n\n"
        "# Large\n\n| Name         | Time (ms) |\n|--------------|---------|\n| a            | 3.5 |\n| b            | 4.5 |\n",
        4,
        (
            ("latency", 0.0015, {"case": "a", "table": "Small"}),
            ("latency", 0.0045, {"case": "b", "table": "Large"}),
        ),
    ),
    "tables with one padded header beside one with another": PeoplesTable(
        "chips.md",
        "# Small\n\n| Name | Time (ms) |\n|------|-----------|\n| a    | 1.5       |\n\n# Large\n\n| Name   | Time (ms) |\n|--|--|\n| a   | 3.5 |\n\n"
        "# Notes\n\n| Author | Date |\n|--|--|\n| me | today |\n",
        2,
        (("latency", 0.0035, {"case": "a", "table": "Large"}),),
    ),
    "tables without outer bars whose headers are padded differently": PeoplesTable(
        "chips.md",
        "# Small\n\nName | Time (ms)\n---|---\na | 1.5\n\n# Large\n\nName   |  Time (ms)\n---|---\na  | 3.5\n",
        2,
        (("latency", 0.0035, {"case": "a", "table": "Large"}),),
    ),
    "numbers of queries that recur": PeoplesTable(
        "queries.csv",
        "query_id,engine,time_s\n1,duck,0.5\n2,duck,1.75\n1,poly,0.625\n2,poly,2.125\n",
        4,
        (("run_time", 2.125, {"query_id": 2, "engine": "poly"}),),
    ),
    "numbers of queries, and nothing else that differs": PeoplesTable(
        "queries.csv",
        "query_id,engine,time_s\n3,duck,0.5\n5,duck,1.75\n9,duck,0.625\n",
        3,
        (("run_time", 1.75, {"query_id": 5}),),
    ),
    "names of prompts": PeoplesTable(
        "prompts.jsonl",
        '{"prompt_id": "short", "repeat": 1, "ttft_s": 0.5}\n{"prompt_id": "short", "repeat": 2, "ttft_s": 0.625}\n'
        '{"prompt_id": "long", "repeat": 1, "ttft_s": 2.5}\n{"prompt_id": "long", "repeat": 2, "ttft_s": 2.75}\n',
        4,
        (("ttft", 2.75, {"prompt_id": "long"}),),
    ),
    "names of prompts that a number distinguishes, too, and answers": PeoplesTable(
        "prompts.jsonl",
        "".join(
            f'{{"prompt_id": "{name}", "repeat": {repeat}, "prompt_tokens": {tokens}, "answer": "{word * 40}", "ttft_s": {ttft}}}\n'
            for name, tokens, word, ttft, repeat in (
                ("short", 54, "yes ", 0.5, 1),
                ("short", 54, "no. ", 0.625, 2),
                ("long", 540, "why ", 2.5, 1),
                ("long", 540, "how ", 2.75, 2),
            )
        ),
        4,
        (("ttft", 2.75, {"prompt_id": "long", "prompt_tokens": 540, "answer": None}),),
    ),
    "files beside their sizes": PeoplesTable(
        "parse.csv",
        "file,size_mb,parse_ms\na.json,0.625,1.5\nb.json,2.25,9.5\nc.json,0.25,2.5\n",
        3,
        (("parse_time", 0.0095, {"file": "b.json", "size_mb": 2.25}),),
    ),
    "files beside a count that may be a setting": PeoplesTable(
        "segments.csv",
        "filename,segments,prove_ms\nbig.json,1,150\nhand.json,2,450\nnone.json,20,3500\n",
        3,
        (("prove_time", 0.45, {"filename": "hand.json", "segments": None}),),
        frozenset({"segments"}),
    ),
    "paths, and a setting": PeoplesTable(
        "build.csv",
        "path,threads,wall_s\nsrc/big.c,1,12.5\nsrc/small.c,1,1.5\nsrc/big.c,4,4.5\nsrc/small.c,4,0.5\n",
        4,
        (("run_time", 0.5, {"path": "src/small.c", "threads": 4}),),
    ),
    "pages": PeoplesTable(
        "pages.md",
        "| URL | Load (ms) |\n|---|---|\n| /home | 412.5 |\n| /about | 322.5 |\n",
        2,
        (("load_time", 0.3225, {"url": "/about"}),),
    ),
    "hosts that nothing else distinguishes": PeoplesTable(
        "hosts.csv",
        "host,batch_size,images_per_s\na,32,811.5\nb,32,640.5\na,64,870.5\nb,64,702.5\n",
        4,
        (("throughput", 702.5, {"host": "b", "batch_size": 64}),),
    ),
    "ids that a program makes up, of repeats": PeoplesTable(
        "ids.csv",
        "run_id,batch,img_s\n9f31ab02,32,811.5\n77ab01cc,32,809.5\n1200aabb,64,870.5\n",
        3,
        (("throughput", 809.5, {"run_id": None, "batch_size": 32}),),
    ),
    "a file that other settings distinguish": PeoplesTable(
        "logs.csv",
        "file,model,latency_ms\nr/a.log,a,2.5\nr/b.log,b,4.5\n",
        2,
        (("latency", 0.0045, {"file": None, "model": "b"}),),
    ),
    "two series of which neither is the setting of the other": PeoplesTable(
        "series.csv",
        "test,before,after\nalpha,31.25,28.5\nalpha,31.5,27.75\nbeta,87.25,80.5\nbeta,86.5,81.25\n",
        8,
        (
            ("latency", 0.0805, {"test": "beta", "variant": "after"}),
            ("latency", 0.03125, {"test": "alpha", "variant": "before"}),
        ),
        answers={"before": "ms", "after": "ms"},
    ),
    "two series of whole numbers": PeoplesTable(
        "series.csv",
        "test,old,new\nalpha,3125,2850\nalpha,3150,2775\nbeta,8725,8050\n",
        3,
        (("latency", 0.00805, {"test": "beta", "old": None}),),
        frozenset({"old"}),
        answers={"new": "us"},
    ),
    "times of two things that are equal": PeoplesTable(
        "codecs.csv",
        "codec,pack_ms,unpack_s\na,12.5,0.0125\nb,13.5,0.0135\nc,15.5,0.0155\n",
        6,
        (("unpack_time", 0.0135, {"codec": "b"}),),
    ),
    "one time in two units": PeoplesTable(
        "loads.csv",
        "loader,time_ms,time_s\na,1250,1.25\nb,1350,1.35\nc,1550,1.55\n",
        3,
        (("latency", 1.35, {"loader": "b"}),),
    ),
    "the time of many runs is not the time of one": PeoplesTable(
        "totals.csv",
        "tool,Total time over 100 iterations (ms),Time for 1000 steps (s)\na,1250.5,12.5\nb,980.5,14.5\n",
        4,
        (
            ("run_time", 0.9805, {"tool": "b", "variant": "over 100 iterations"}),
            ("run_time", 14.5, {"tool": "b", "variant": "for 1000 steps"}),
        ),
    ),
}
