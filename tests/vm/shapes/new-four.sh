# As new-two, with four caches.
arch=x86
kernel=new
smp="16,sockets=1,dies=4,cores=4" memory=(1024M)
nodes=("")
EXPECT_SOCKETS=1 EXPECT_CPU_NODES=1 EXPECT_NODES=1 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15
filter=Topology.*:Kernel.*:Run.*-Run.OtherLevels*
