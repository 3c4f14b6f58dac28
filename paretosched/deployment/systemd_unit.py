"""A systemd unit that runs the daemon with few rights."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ..core.errors import printable

STATE = "/var/lib/paretosched"  # where systemd puts the StateDirectory of the unit
HIDDEN = ("/tmp/", "/var/tmp/")  # noqa: S108  # by PrivateTmp
UNIT = """\
# paretosched-deploy.service: keeps the waiting jobs of Slurm in the order of a policy.
#   useradd --system --no-create-home paretosched
#   sacctmgr -i add user paretosched account=root adminlevel=Operator
#   paretosched deploy ... --unit > /etc/systemd/system/paretosched-deploy.service
#   systemctl daemon-reload && systemctl enable --now paretosched-deploy
# To undo it: systemctl disable --now paretosched-deploy, then as the user paretosched:
#   {undo}
# Where slurmctld runs on the same machine, DynamicUser=yes may stand in place of the useradd.
[Unit]
Description=Order of the waiting jobs by a policy of paretosched
After=network-online.target slurmctld.service munge.service
Wants=network-online.target

[Service]
Type=exec
User=paretosched
StateDirectory=paretosched
StateDirectoryMode=0750
ExecStart={command}
Restart=on-failure
RestartSec=60
# a refused policy, missing rights: starting again would not help; a slurmctld that does not answer yet is status 75
RestartPreventExitStatus=2
TimeoutStopSec=120
# for a review of a guarded order, which may take 1 GiB; the daemon needs little
MemoryMax=1280M
TasksMax=32
Nice=5
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
PrivateTmp=yes
PrivateDevices=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
UMask=0027

[Install]
WantedBy=multi-user.target
"""


def unit_text(words: Sequence[str]) -> str:
    """Return the unit that runs a command line, with the command that undoes it.

    Examples
    --------
    >>> "ExecStart=/bin/paretosched deploy /etc/p.json" in unit_text(["/bin/paretosched", "deploy", "/etc/p.json"])
    True
    """
    undo = [*words, *([] if "-o" in words else ["-o", STATE]), "--off"]
    return UNIT.format(command=" ".join(map(_quote, words)), undo=printable(shlex.join(undo)))


def hidden_path(words: Sequence[str]) -> str | None:
    """Return the first path of a command line that the unit cannot see; None if it sees all.

    Examples
    --------
    >>> hidden_path(["/usr/bin/paretosched", "deploy", "/tmp/p.json"]), hidden_path(["/bin/paretosched", "tmp"])
    ('/tmp/p.json', None)
    """
    return next((word for word in words if word.startswith(HIDDEN)), None)


def _quote(word: str) -> str:
    """Return a word as systemd reads it in ExecStart."""
    clean = word.replace("%", "%%").replace("$", "$$")
    if clean and not any(letter in clean for letter in " \t\n\"'\\;"):
        return clean
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
