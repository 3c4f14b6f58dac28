"""The commands that print the accounts, users and shares of a Slurm site, and the priorities of its QOS."""

COMMAND = "sacctmgr -P show assoc format=Cluster,Account,ParentName,User,Partition,Share > assoc.txt"
QOS_COMMAND = "sacctmgr -P show qos format=Name,Priority >> assoc.txt"
