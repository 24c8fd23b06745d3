# 64 cpus, two sockets of four chiplets of eight cores; only the tests for which their number matters.
arch=x86
smp="64,sockets=2,dies=4,cores=8" memory=(1024M 1024M)
nodes=("cpus=0-31" "cpus=32-63")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=8 EXPECT_CORES=64 EXPECT_ALLOWED=0-63
filter=Files.*:Topology.*
