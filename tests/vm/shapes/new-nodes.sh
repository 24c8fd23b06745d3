# As fast, on a kernel that gathers threads by caches and interleaves pages by weights.
arch=x86
. "$here/shapes/fast.sh"
kernel=new
filter=-Shares.Two*:Run.OtherLevels*:Kernel.*:KernelShapes.*:Cpusets.*
