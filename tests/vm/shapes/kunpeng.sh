# Four nodes with the distances of a two-socket Kunpeng 920, and a fifth one that has memory and no cpus.
arch=x86
smp="16,sockets=2,dies=2,cores=4" memory=(512M 512M 512M 512M 512M)
nodes=("cpus=0-3" "cpus=4-7" "cpus=8-11" "cpus=12-15" "")
distances="0,1,16 0,2,32 0,3,33 1,2,32 1,3,33 2,3,16 0,4,40 1,4,40 2,4,40 3,4,40"
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=4 EXPECT_NODES=5 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15
