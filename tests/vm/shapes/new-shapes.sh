# As new-two: the simulator's model of the kernel beside the kernel itself, in twelve situations three times each.
arch=x86
. "$here/shapes/new-two.sh"
kernel=new
filter=KernelShapes.*
