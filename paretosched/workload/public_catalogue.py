"""Public logs: where they are, what is in them, and how tables among them are read. This file is data.

Those in the Parallel Workloads Archive (D. G. Feitelson, Hebrew University of Jerusalem) are in the Standard Workload
Format. Publications with results from them must acknowledge the archive and the people named in the header of the log.
The others are where their authors put them; sizes, licences and columns are as their descriptions say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..core.errors import InputError, one_of


class PublicLog(NamedTuple):
    """Where a log is, and what is in it.

    The SHA-256 are those of files at hand, with which experiments and tests of this package were run, or those that
    users of the files have published. The archive publishes none.

    Attributes
    ----------
    folder, file
        Its folder and file in the archive, or in a mirror.
    sha256
        Of the file; None if it is not known.
    url
        The address of a file that is not in the archive; "" for those that are.
    bytes
        The size of the file; 0 if it is not known.
    licence
        Under which one may use it.
    about
        The machine, the time, and how many jobs.
    reading
        The word for `paretosched import csv FILE --as`; "" for a log in the Standard Workload Format.
    how
        What to do before it can be read, or instead of `fetch`.
    by_hand
        Whether `fetch` cannot bring it: `how` says what can.
    """

    folder: str
    file: str
    sha256: str | None = None
    url: str = ""
    bytes: int = 0
    licence: str = "acknowledge the archive"
    about: str = ""
    reading: str = ""
    how: str = ""
    by_hand: bool = False


class Reading(NamedTuple):
    """How a public table is read: the options of `paretosched import csv` for which `--as` stands.

    Attributes
    ----------
    columns
        `--columns`; "" for what is no table.
    unit
        `--unit`.
    width
        `--width`.
    zone
        `--zone`; None where times say theirs, or count seconds.
    states
        Words of the column `state` that mean something else than usual, and the usual word for each.
    attempts
        Whether it is a list of jobs with attempts in JSON, see `accounting.philly`.
    """

    columns: str
    unit: str = "s"
    width: str = "cpus"
    zone: str | None = None
    states: Mapping[str, str] = {}
    attempts: bool = False


SLURM_STATES = {
    "0": "PENDING", "1": "RUNNING", "2": "SUSPENDED", "3": "COMPLETED", "4": "CANCELLED", "5": "FAILED",
    "6": "TIMEOUT", "7": "NODE_FAIL", "8": "PREEMPTED", "9": "BOOT_FAIL", "10": "DEADLINE", "11": "OUT_OF_MEMORY",
}  # fmt: skip  # as numbers of its database
SHANGHAI = (
    "submit=submit_time,start=start_time,end=end_time,gpus=gpu_num,nodes=node_num,user=user,state=state,job=job_id"
)
READINGS = {
    "acme": Reading(f"{SHANGHAI},queue=type", width="gpus"),
    "alcf": Reading(
        "submit=QUEUED_TIMESTAMP,start=START_TIMESTAMP,end=END_TIMESTAMP,run=RUNTIME_SECONDS,limit=WALLTIME_SECONDS,"
        "nodes=NODES_USED,user=USERNAME_GENID,account=PROJECT_NAME_GENID,queue=QUEUE_NAME",
        width="nodes",
        zone="UTC",
    ),
    "eagle": Reading(
        "submit=submit_time,start=start_time,end=end_time,run=run_time,limit=wallclock_req,nodes=nodes_req,gpus=gpus_req,"
        "user=user,account=account,partition=partition,qos=qos,state=state,job=job_id",
        width="nodes",
        zone="America/Denver",
    ),
    "fdata": Reading(
        "submit=adt,start=sdt,end=edt,run=duration,limit=elpl,nodes=nnuma,user=usr,state=exit state,job=jid",
        width="nodes",
        zone="Asia/Tokyo",
    ),
    "helios": Reading(f"{SHANGHAI},partition=vc", width="gpus", zone="Asia/Shanghai"),
    "kestrel": Reading(
        "submit=submit_time,start=start_time,end=end_time,limit=wallclock_req,width=processors_used,nodes=nodes_used,"
        "gpus=gpus_requested,user=user_hash,account=account_hash,partition=partition,qos=qos,state=state_simple,job=job_id",
        zone="America/Denver",
    ),
    "openb": Reading(
        "submit=creation_time,start=scheduled_time,end=deletion_time,gpus=num_gpu,gpu_milli=gpu_milli,memory=memory_mib,"
        "constraint=gpu_spec,queue=qos,state=pod_phase",
        width="gpus",
    ),
    "philly": Reading(
        "submit=submitted_time,start=start_time,end=end_time,gpus=gpus,nodes=detail,user=user,account=vc,state=status",
        width="gpus",
        zone="America/Los_Angeles",
        attempts=True,
    ),
    "pm100": Reading(
        "submit=submit_time,eligible=eligible_time,start=start_time,end=end_time,run=run_time,limit=time_limit,"
        "width=num_cores_alloc,nodes=num_nodes_alloc,gpus=num_gpus_alloc,user=user_id,partition=partition,qos=qos,"
        "state=job_state,job=job_id",
        unit="limit=min",
        zone="Europe/Rome",
    ),
    "supercloud": Reading(
        "submit=time_submit,start=time_start,end=time_end,limit=timelimit,width=cpus_req,nodes=nodes_alloc,user=id_user,"
        "partition=partition,state=state,job=id_job",
        unit="limit=min",
        states=SLURM_STATES,
    ),
    "theta": Reading(
        "submit=submit_time,wait=wait_time,run=run_time,limit=wall_time,nodes=node_num,user=user,account=project,"
        "state=new_status,job=job",
        width="nodes",
    ),
}


def find_reading(name: str, word: str) -> Reading:
    """Return how a public table is read.

    Parameters
    ----------
    name
        What the word is, for messages.
    word
        The name of the reading, or that of a public log.

    Raises
    ------
    InputError
        It is no public table; of other public logs the message says what they are.
    """
    log = next((log for key, log in LOGS.items() if key.lower() == word.lower()), None)
    if log is not None and word not in READINGS:
        if not log.reading:
            raise InputError(
                f"{name} {word}: {log.how or 'it is in the Standard Workload Format: no import is needed'}"
            )
        return READINGS[log.reading]
    one_of(name, word, tuple(READINGS))
    return READINGS[word]


ZENODO, GITHUB = "https://zenodo.org/records", "https://raw.githubusercontent.com"
ACME = "https://huggingface.co/datasets/Qinghao/AcmeTrace/resolve/main/data/job_trace"
LOGS = {
    "ANL-Intrepid": PublicLog("l_anl_int", "ANL-Intrepid-2009-1.swf.gz"),
    "CEA-Curie": PublicLog("l_cea_curie", "CEA-Curie-2011-2.1-cln.swf.gz"),
    "CIEMAT-Euler": PublicLog("l_ciemat_euler", "CIEMAT-Euler-2008-1.swf.gz"),
    "CTC-SP2": PublicLog(
        "l_ctc_sp2",
        "CTC-SP2-1996-3.1-cln.swf.gz",
        "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
    ),
    "HPC2N": PublicLog("l_hpc2n", "HPC2N-2002-2.2-cln.swf.gz"),
    "KIT-FH2": PublicLog("l_kit_fh2", "KIT-FH2-2016-1.swf.gz"),
    "KTH-SP2": PublicLog(
        "l_kth_sp2",
        "KTH-SP2-1996-2.1-cln.swf.gz",
        "3e152f201fd2e96808a735bced6ea6eb0bb07fdc447689cafb0750d87b264c0b",
    ),
    "LANL-CM5": PublicLog(
        "l_lanl_cm5",
        "LANL-CM5-1994-4.1-cln.swf.gz",
        "71ff3dfa301b3ee1bd30ebc63c5363b5e8ec488e75f1f9398aa46d485ef23c3c",
    ),
    "LANL-O2K": PublicLog("l_lanl_o2k", "LANL-O2K-1999-2.swf.gz"),
    "LLNL-Atlas": PublicLog("l_llnl_atlas", "LLNL-Atlas-2006-2.1-cln.swf.gz"),
    "LLNL-T3D": PublicLog("l_llnl_t3d", "LLNL-T3D-1996-2.swf.gz"),
    "LLNL-Thunder": PublicLog("l_llnl_thunder", "LLNL-Thunder-2007-1.1-cln.swf.gz"),
    "LLNL-uBGL": PublicLog("l_llnl_ubgl", "LLNL-uBGL-2006-2.swf.gz"),
    "LPC-EGEE": PublicLog("l_lpc", "LPC-EGEE-2004-1.2-cln.swf.gz"),
    "METACENTRUM-09": PublicLog("l_metacentrum", "METACENTRUM-2009-2.swf.gz"),
    "METACENTRUM-13": PublicLog("l_metacentrum2", "METACENTRUM-2013-3.swf.gz"),
    "NASA-iPSC": PublicLog(
        "l_nasa_ipsc",
        "NASA-iPSC-1993-3.1-cln.swf.gz",
        "5589ae9b2fb78e3bf92de097497cf33a91607de1ad54563e43533f7827597f29",
    ),
    "OSC-Clust": PublicLog("l_osc", "OSC-Clust-2000-3.1-cln.swf.gz"),
    "PIK-IPLEX": PublicLog("l_pik_iplex", "PIK-IPLEX-2009-1.swf.gz"),
    "RICC": PublicLog("l_ricc", "RICC-2010-2.swf.gz"),
    "SDSC-BLUE": PublicLog("l_sdsc_blue", "SDSC-BLUE-2000-4.2-cln.swf.gz"),
    "SDSC-DS": PublicLog("l_sdsc_ds", "SDSC-DS-2004-2.1-cln.swf.gz"),
    "SDSC-Par-95": PublicLog("l_sdsc_par", "SDSC-Par-1995-3.1-cln.swf.gz"),
    "SDSC-Par-96": PublicLog(
        "l_sdsc_par",
        "SDSC-Par-1996-3.1-cln.swf.gz",
        "cb1aab02b5e3c34659d1c1d6f73c002d415229c59f40c03fab4e20331abdaff7",
    ),
    "SDSC-SP2": PublicLog(
        "l_sdsc_sp2",
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        "e03fe48be50c4ab04d6bb2285296d9c3399e9c1f27ee79b754ad32a14abd9bac",
    ),
    "SHARCNET": PublicLog("l_sharcnet", "SHARCNET-2005-2.swf.gz"),
    "Sandia-Ross": PublicLog("l_sandia_ross", "Sandia-Ross-2001-1.1-cln.swf.gz"),
    "UniLu-Gaia": PublicLog("l_unilu_gaia", "UniLu-Gaia-2014-2.swf.gz"),
    "acme-kalos": PublicLog(
        "acme",
        "trace_kalos.csv",
        "7c5a7845da1d66448fa668342e4ecb622fd9a005118080660ec3ad2788d4c9bf",
        f"{ACME}/trace_kalos.csv",
        8_960_159,
        "CC-BY-4.0",
        "Shanghai AI Laboratory, Kalos: 62,413 jobs of language models on A100 GPUs, 2023",
        "acme",
    ),
    "acme-seren": PublicLog(
        "acme",
        "trace_seren.csv",
        "747854c73ce8b3263b764aa9ff8d866d89903705d31fcd0e0520c33dd14af9a1",
        f"{ACME}/trace_seren.csv",
        99_262_320,
        "CC-BY-4.0",
        "Shanghai AI Laboratory, Seren: 818,328 jobs of language models on A100 GPUs, March to August 2023",
        "acme",
    ),
    "alcf": PublicLog(
        "alcf",
        "ANL-ALCF-DJC-THETA_20220101_20221231.csv.gz",
        url="https://reports.alcf.anl.gov/data/index.html",
        bytes=6_927_863,
        licence="not named; cite ALCF",
        about="ALCF: Theta from 2017 to 2023, Mira, Polaris and Aurora, a file a year",
        reading="alcf",
        how="the site asks for name and mail address once; take the files DIM_JOB_COMPOSITE",
        by_hand=True,
    ),
    "eagle": PublicLog(
        "eagle",
        "eagle_data.parquet",
        "55d5b8d1bb74abac22519276f83f585bcc5f349528f3a6caee847a738762e89e",
        "https://data.openei.org/files/5860/eagle_data.parquet",
        253_083_944,
        "CC-BY-4.0",
        "NREL Eagle: 11,030,377 jobs on 2,618 nodes, November 2018 to February 2023",
        "eagle",
        "it has more jobs than other commands read without --limit jobs=12000000",
    ),
    "fdata": PublicLog(
        "fdata",
        "21_03.parquet",
        url=f"{ZENODO}/11467483",
        bytes=28_000_000_000,
        licence="CC-BY-4.0",
        about="F-DATA, RIKEN Fugaku: 24 million jobs, a file a month from March 2021 to April 2024",
        reading="fdata",
        how="it is 38 files of .5 to 1.3 GB, such as 23_04.parquet: take the months that you need",
        by_hand=True,
    ),
    "frontier": PublicLog(
        "frontier",
        "frontier-2024.swf",
        url="https://jsspp.org/workload/",
        licence="not known here",
        about="ORNL Frontier: 2024 and 2025, in the Standard Workload Format with 21 columns",
        how="it is in the Standard Workload Format: no import is needed; look among the workloads of "
        "the workshop, since its address is not known here",
        by_hand=True,
    ),
    "helios": PublicLog(
        "helios",
        "data.zip",
        "3d22a5f6c0ae669e2fcbfe4200fa9c48664507bc397c677bad8f085222c032ac",
        f"{GITHUB}/S-Lab-System-Group/HeliosData/master/data.zip",
        36_437_672,
        "CC-BY-4.0",
        "SenseTime Helios: 3,362,981 jobs on four clusters of GPUs, April to September 2020",
        "helios",
        "unpack it, and take a cluster, such as data/Venus/cluster_log.csv; each of its partitions has GPUs of its own",
    ),
    "kestrel": PublicLog(
        "kestrel",
        "kestrel.job-anon.zip",
        "3a90f9ac40991712f8718c686fa7b05d7a303a44a87ed1a8f21b403c11efd26f",
        "https://data.nlr.gov/system/files/302/1773544299-esif.hpc.kestrel.job-anon.zip",
        731_139_558,
        "nlr-data-1.0, in the file",
        "NLR Kestrel: 11 million jobs, August 2023 to December 2025",
        "kestrel",
        "it needs --limit download=800000000; unpack it, and import its Parquet files one by one",
    ),
    "metacentrum": PublicLog(
        "metacentrum",
        "wagap-2013.swf",
        "bf5c1cc69915f2d5d26c579f69e206513ceff9bd60e6c4b112182da0c6183ed7",
        f"{GITHUB}/aleasimulator/alea/a3315f00d9e0c9e984b6094624703230dd8bf7cb/Alea/data-set/wagap-2013.swf",
        2_418_846,
        "acknowledge MetaCentrum",
        "MetaCentrum, two clusters: 17,900 jobs, 2013, with 21 columns; more at https://jsspp.org/workload/",
    ),
    "openb": PublicLog(
        "openb",
        "openb_pod_list_default.csv",
        "1ee7ed79c27a3b0861cda8ddba86a004c6aba904caafa329a76ae93ca63834a8",
        f"{GITHUB}/alibaba/clusterdata/master/cluster-trace-gpu-v2023/csv/openb_pod_list_default.csv",
        575_468,
        "not named; cite the paper",
        "Alibaba OpenB: 8,152 tasks on 1,523 nodes, with parts of GPUs, 2023",
        "openb",
    ),
    "philly": PublicLog(
        "philly",
        "trace-data.tar.gz",
        url="https://github.com/msr-fiddle/philly-traces",
        bytes=980_000_000,
        licence="as it is; cite the paper",
        about="Microsoft Philly: 117,325 jobs on GPUs, August to December 2017",
        reading="philly",
        how="it comes by git lfs; the jobs are cluster_job_log in the archive, a list in JSON, each with its attempts",
        by_hand=True,
    ),
    "pm100": PublicLog(
        "pm100",
        "job_table.parquet",
        "6be954098d9bd6bfdef6881c6d8a3260170b00d16839509700e1b6976da3a7eb",
        f"{ZENODO}/10127767/files/job_table.parquet",
        287_154_521,
        "CC-BY-4.0",
        "CINECA Marconi100 (PM100): 231,238 jobs, May to October 2020",
        "pm100",
    ),
    "supercloud": PublicLog(
        "supercloud",
        "slurm-log.csv",
        "27259e5b8e6daecd80b7853126af40ba759bc25edc9053fc174ef7a4f186aa01",
        "https://mit-supercloud-dataset.s3.amazonaws.com/datacenter-challenge/202201/slurm-log.csv",
        103_165_427,
        "CC-BY-4.0",
        "MIT Supercloud: 395,914 jobs, January to October 2021",
        "supercloud",
    ),
    "theta": PublicLog(
        "theta",
        "data_theta.csv",
        "1ffccc466016b978adbdbbcecfca28c73dc64283258df73f8679538ae082f669",
        f"{GITHUB}/DIR-LAB/lumos/cbafac8df8890c3236728b68aed30a0ce0806c6b/lumos-site/data/data_theta.csv",
        1_496_810,
        "MIT",
        "ALCF Theta: 14,374 jobs on 4,392 nodes, November 2022 to May 2023",
        "theta",
    ),
}
