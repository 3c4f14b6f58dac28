"""The commands that print accounts, users, shares and QOS of a Slurm site, and the one that puts them into a policy."""

COMMAND = "sacctmgr -P show assoc format=Cluster,Account,ParentName,User,Partition,Share > assoc.txt"
QOS_COMMAND = "sacctmgr -P show qos format=Name,Priority >> assoc.txt"
SHARES_COMMAND = "paretosched simulate LOG --policy slurm.conf --shares assoc.txt --save-policy today.json"
ASSOC_COMMAND = "sacctmgr -P show assoc tree > assoc.txt"
SITE_QOS_COMMAND = "sacctmgr -P show qos > qos.txt"
