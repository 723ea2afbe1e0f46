/** Bugs planted in what the supervisor of a replica decides (proactive recovery paper, 4.7), each of which a test must find. */
@NullMarked
package io.bulwark.appliance.mutation;

import org.jspecify.annotations.NullMarked;
