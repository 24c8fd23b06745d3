# As cxl, on a kernel that interleaves pages by weights and derives them from the firmware itself.
arch=x86
. "$here/shapes/cxl.sh"
kernel=new
filter=Topology.*:Malloc*:*Interleave.*:Kernel.*
