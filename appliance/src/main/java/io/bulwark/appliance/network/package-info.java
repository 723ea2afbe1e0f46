/** Network namespaces on one machine as the hosts of a network, for benchmarks and tests. */
@NullMarked
package io.bulwark.appliance.network;

import org.jspecify.annotations.NullMarked;
