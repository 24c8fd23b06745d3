# 192 cpus, two sockets of twelve chiplets of eight cores; only the tests for which their number matters.
arch=x86
smp="192,sockets=2,dies=12,cores=8" memory=(1536M 1536M)
nodes=("cpus=0-95" "cpus=96-191")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=24 EXPECT_CORES=192 EXPECT_ALLOWED=0-191
filter=Files.*:Topology.*
