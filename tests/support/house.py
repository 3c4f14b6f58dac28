"""A folder of sound files of every kind, for tests that damage them."""

import shutil
from pathlib import Path
from typing import Any

import paretosched as ps
from paretosched.policies.rule_base import RuleBase
from support.commands import succeed

ACCOUNTING = Path(__file__).parents[1] / "data" / "accounting"
COPIES = {
    "slurm-all.txt": "sacct.txt",
    "slurm-local-times.txt": "sacct-local.txt",
    "pbs/20261122": "pbs.txt",
    "sge-accounting": "sge.txt",
    "lsb.acct": "lsb.acct",
    "batsim.json": "batsim.json",
    "jobs.csv": "jobs-of-site.csv",
    "slurm-down-jobs.txt": "sacct-down.txt",
    "slurm-down-nodes.txt": "sinfo.txt",
    "slurm-down-events.txt": "events.txt",
}
NODES_CONF = """ClusterName=tiny
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n[01-04] CPUs=8 RealMemory=16000 Feature=ib
NodeName=g[1-2] CPUs=8 RealMemory=32000 Gres=gpu:a100:2 State=UNKNOWN Weight=9
DownNodes=n04 State=DOWN Reason=fan
PartitionName=cpu Nodes=n[01-04] Default=YES MaxTime=1-0 DefMemPerCPU=1900
PartitionName=gpu Nodes=g[1-2] PriorityTier=5 AllowAccounts=ann
"""
ASKED = """job,submit,run,options
1,0,10,"-N2-4 -n8 --mem=10 -t20 -w n03"
2,5,10,"-n1 --gres=gpu:a100:1 -p gpu -t 5 -C 'a|b' -L m:1"
3,6,9,"--exclusive -c 4 -x n01"
"""
SITE_COLUMNS = "submit=created,start=began,end=ended,width=cores,user=login,account=project,job=id,limit=limit"


def furnish(folder: Path) -> Path:
    """Write a workload, a run on it, its front, policies, a wish, groups and lists into a folder, and return it."""
    succeed("generate", "lublin", "--jobs", 60, "--processors", 32, "--seed", 3, "-o", folder / "w.swf.gz")
    succeed("explore", folder / "w.swf.gz", "-o", folder / "run", "--evaluations", 12, "--population", 4)
    succeed("front", folder / "run", "-o", folder / "front.parquet")
    succeed("simulate", folder / "w.swf.gz", "--front", folder / "run", "--save-policy", folder / "p.json")
    policy = ps.load_policy(folder / "p.json")
    plain = ps.greedy(policy.criteria, policy.genes, groups=policy.groups)
    for kind in ("iterative", "symbiotic"):
        ps.save_policy(_rules(kind, plain), folder / f"{kind}.json")
    ps.save_policy(plain, folder / "g.json")
    for source, name in COPIES.items():
        shutil.copy(ACCOUNTING / source, folder / name)
    succeed("import", "slurm", folder / "sacct.txt", "-o", folder / "imported.swf")
    machine = ("--nodes", folder / "sinfo.txt", "--events", folder / "events.txt")
    succeed("import", "slurm", folder / "sacct-down.txt", *machine, "-o", folder / "down.swf")
    (folder / "site.conf").write_text(NODES_CONF)
    succeed("machine", folder / "site.conf", "-o", folder / "machine.toml")
    (folder / "asked.csv").write_text(ASKED)
    words = ("--columns", "job=job,submit=submit,run=run,options=options", "--machine", folder / "machine.toml")
    succeed("import", "csv", folder / "asked.csv", *words, "-o", folder / "nodes.parquet")
    (folder / "groups.csv").write_text("1,staff\n2,guests\n")
    (folder / "jobs.csv").write_text("job,size,workload\na,,5\nb,7,\na,2,\n")
    (folder / "nodes.csv").write_text("node,speed,utilisation\nn,2,1\nm,1.5,0.5\n")
    (folder / "past.csv").write_text("job,size,workload\na,1,3\na,5,9\n")
    for method in ("lpt", "pgga"):  # a disk that is full has no room for compiled code either
        succeed(
            "assign", folder / "jobs.csv", folder / "nodes.csv", "--history", folder / "past.csv", "--method", method
        )
    ps.save_wish("10*AWRT1 + 4*AWRT2, UTIL >= 1", folder / "wish.json")
    return folder


def _rules(kind: str, greedy: ps.Policy) -> ps.Policy:
    """A small rule base whose thirteenth strategy is a Greedy policy."""
    groups = greedy.groups
    features = len(groups) + 2
    choice, levels = [0], [5] + [0] * 12
    settings: dict[str, Any] = {"bounds": ((),) * features, "choice": choice}
    if kind == "symbiotic":
        settings = {"means": [[0.5] * features], "widths": [[0.5] * features], "recommendations": [levels]}
    return RuleBase(kind, groups, groups, greedy, **settings)
