# Two threads a core.
arch=x86
smp="16,sockets=2,cores=4,threads=2" memory=(1024M 1024M)
nodes=("cpus=0-7" "cpus=8-15")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=2 EXPECT_CORES=8 EXPECT_ALLOWED=0-15
