# Two sockets of eight chiplets of two cores; only the tests for which their number matters.
arch=x86
smp="32,sockets=2,dies=8,cores=2" memory=(1024M 1024M)
nodes=("cpus=0-15" "cpus=16-31")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=16 EXPECT_CORES=32 EXPECT_ALLOWED=0-31
filter=Files.*:Topology.*
