#!/bin/sh
# Joins two network namespaces with a cable, for as long as it runs: its own, and that of the process whose number it says.
#
#     unshare --net cable.sh
set -e
unshare --net sh -ec "
    ip link add far type veth peer name near netns $$
    ip address add 10.0.0.2/24 dev far
    ip link set far up
    nsenter --target $$ --net sh -ec '
        ip address add 10.0.0.1/24 dev near
        ip link set near up
        ip route add 224.0.0.0/4 dev near'
    # Who looks for somebody by multicast has to know where.
    ip route add 224.0.0.0/4 dev far
    echo \$\$
    exec setpriv --pdeathsig KILL sleep infinity" &
exec sleep infinity
