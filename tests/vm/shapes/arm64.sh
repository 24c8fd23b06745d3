# 64-bit Arm, cross-built: two sockets of two clusters of four cores, no third-level cache.
arch=arm64
smp="16,sockets=2,clusters=2,cores=4" memory=(512M 512M)
nodes=("cpus=0-7" "cpus=8-15")
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=2 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15
