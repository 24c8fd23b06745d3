# Two caches of four cores on one node, on a kernel that gathers threads by caches.
arch=x86
kernel=new
smp="8,sockets=1,dies=2,cores=4" memory=(1024M)
nodes=("")
EXPECT_SOCKETS=1 EXPECT_CPU_NODES=1 EXPECT_NODES=1 EXPECT_CHIPLETS=2 EXPECT_CORES=8 EXPECT_ALLOWED=0-7
filter=Topology.*:Kernel.*:Cpusets.*
