# As new-two: the simulator's model of the kernel beside the kernel itself, in twelve situations three times each.
arch=x86
kernel=new
smp="8,sockets=1,dies=2,cores=4" memory=(1024M)
nodes=("")
EXPECT_SOCKETS=1 EXPECT_CPU_NODES=1 EXPECT_NODES=1 EXPECT_CHIPLETS=2 EXPECT_CORES=8 EXPECT_ALLOWED=0-7
filter=KernelShapes.*
