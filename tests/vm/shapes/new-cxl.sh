# As cxl, on a kernel that interleaves pages by weights and derives them from the firmware itself.
arch=x86
kernel=new
smp="16,sockets=2,dies=2,cores=4" memory=(768M 768M 512M)
nodes=("cpus=0-7,initiator=0" "cpus=8-15,initiator=1" "initiator=0")
distances="0,1,21 0,2,30 1,2,40"
extra=(-machine pc,hmat=on)
for from in 0 1; do
  for to in 0 1 2; do
    [ $to = 2 ] && latency=250 bandwidth=17G || { [ $from = $to ] && latency=100 bandwidth=100G || latency=200 bandwidth=60G; }
    extra+=(-numa "hmat-lb,initiator=$from,target=$to,hierarchy=memory,data-type=access-latency,latency=$latency")
    extra+=(-numa "hmat-lb,initiator=$from,target=$to,hierarchy=memory,data-type=access-bandwidth,bandwidth=$bandwidth")
  done
done
# The kernel looks at them when it boots, with one cpu, of node 0, so node 1 is told as node 0 sees it.
EXPECT_SOCKETS=2 EXPECT_CPU_NODES=2 EXPECT_NODES=3 EXPECT_CHIPLETS=4 EXPECT_CORES=16 EXPECT_ALLOWED=0-15 EXPECT_GB_PER_S=100,60,17
filter=Topology.*:Malloc*:Interleave.*:Kernel.*
