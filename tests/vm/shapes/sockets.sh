# Sockets as chiplets: four small packages with a cache each, two on a node.
arch=x86
smp="16,sockets=4,cores=4" memory=(1024M 1024M)
nodes=("cpus=0-7" "cpus=8-15")
EXPECT_SOCKETS=4 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15
