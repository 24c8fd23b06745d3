# As fast, inside a control group whose cpuset has holes and leaves one chiplet out.
arch=x86
smp="16,sockets=2,dies=2,cores=4" memory=(1024M 1024M) cpuset=0-3,5,7,9-10
nodes=("cpus=0-7" "cpus=8-15")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=3 EXPECT_CORES=8 EXPECT_ALLOWED=0-3,5,7,9-10
