# Two nodes of two chiplets of four cores: the shape of every run.
arch=x86
smp="16,sockets=2,dies=2,cores=4" memory=(1024M 1024M)
nodes=("cpus=0-7" "cpus=8-15")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15
churn=10 filter=-Shares.Two*:Run.OtherLevels*:Kernel.*:KernelShapes.*:Cpusets.*:AttachPages.*:WeightedInterleave.*  # which take minutes; the other shapes have them
